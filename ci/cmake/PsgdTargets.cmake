# What every target of the project has in common, and how a unit test is made.

add_library(psgd_flags INTERFACE)
target_compile_options(
  psgd_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -ffp-contract=off
                       $<$<BOOL:${PSGD_WERROR}>:-Werror>)
target_compile_definitions(psgd_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(PSGD_SANITIZE)
  target_compile_options(psgd_flags INTERFACE -fsanitize=${PSGD_SANITIZE} -fno-sanitize-recover=all
                                              -fno-omit-frame-pointer)
  target_link_options(psgd_flags INTERFACE -fsanitize=${PSGD_SANITIZE})
endif()
if(PSGD_COVERAGE)
  target_compile_options(psgd_flags INTERFACE --coverage -O0 -fprofile-update=atomic)
  target_link_options(psgd_flags INTERFACE --coverage)
endif()

# psgd_test(NAME name SOURCES file ... LIBRARIES target ... [LABELS label ...]): one cmocka program, one CTest test.
function(psgd_test)
  cmake_parse_arguments(TEST "" "NAME" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  string(REPLACE "." "_" target "test_${TEST_NAME}")
  add_executable(${target} ${TEST_SOURCES})
  target_link_libraries(${target} PRIVATE psgd_flags ${TEST_LIBRARIES} cmocka::cmocka m)
  add_test(NAME ${TEST_NAME} COMMAND ${target})
  set_tests_properties(${TEST_NAME} PROPERTIES TIMEOUT 120 LABELS "${TEST_LABELS}")
endfunction()
