# exports.cmake: a library exports EXPORTS (a list, sorted) and nothing else. Variables: NM, MODULE, EXPORTS.

execute_process(
  COMMAND "${NM}" -D --defined-only --format=posix "${MODULE}"
  OUTPUT_VARIABLE table
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${table}")
set(names)
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" name "${line}")
  list(APPEND names "${name}")
endforeach()
list(SORT names)
if(NOT names STREQUAL EXPORTS)
  message(FATAL_ERROR "exported: ${names}; expected: ${EXPORTS}")
endif()
