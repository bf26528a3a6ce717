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
  set(timeout 120)
  if(PSGD_SANITIZE)
    set(timeout 900) # the same work takes many times as long
  endif()
  set_tests_properties(${TEST_NAME} PROPERTIES TIMEOUT ${timeout} LABELS "${TEST_LABELS}")
endfunction()

# psgd_shared_library(name OBJECTS target LIBRARIES target ...): lib<name>.so for programs that link it, installed, with
# its pkg-config file (ref/pkgconfig/<name>.pc.in, dashes for underscores) and as psgd::<name without psgd_>.
#
# It exports what its header marks PSGD_EXPORT and nothing else: what it takes from static archives (LAPACK) is hidden, and
# its own calls never leave it for a symbol of the same name elsewhere. The target is <name>_shared.
function(psgd_shared_library name)
  cmake_parse_arguments(LIBRARY "" "OBJECTS" "LIBRARIES" ${ARGN})
  set(target ${name}_shared)
  add_library(${target} SHARED $<TARGET_OBJECTS:${LIBRARY_OBJECTS}>)
  target_link_libraries(${target} ${LIBRARY_LIBRARIES} PRIVATE psgd_flags)
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
  string(REGEX REPLACE "^psgd_" "" export_name ${name})
  set_target_properties(
    ${target} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                         EXPORT_NAME ${export_name} INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${target} EXPORT psgd LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

  # Paths in the file are relative to the file: it is right wherever the prefix ends up.
  set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  string(REPLACE "_" "-" file "${name}.pc")
  file(RELATIVE_PATH PSGD_PC_LIBDIR "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_FULL_LIBDIR}")
  string(REGEX REPLACE "/$" "" PSGD_PC_LIBDIR "${PSGD_PC_LIBDIR}")
  file(RELATIVE_PATH PSGD_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
  configure_file("${PROJECT_SOURCE_DIR}/ref/pkgconfig/${file}.in" "${PROJECT_BINARY_DIR}/pkgconfig/${file}" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/pkgconfig/${file}" DESTINATION "${folder}")
endfunction()
