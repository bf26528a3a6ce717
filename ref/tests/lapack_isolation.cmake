# lapack_isolation.cmake: what the symbol tables of the plug-in and of the shared library say. Variables: NM, MODULE.
# Within: reference LAPACK, and nothing of OpenBLAS. Needed from outside: no LAPACK. (exports.cmake: nothing of it is exported.)

function(symbols result)
  execute_process(
    COMMAND "${NM}" ${ARGN} "${MODULE}"
    OUTPUT_VARIABLE output
    COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

symbols(needed -D --undefined-only)
if(needed MATCHES "(dgeqrf_|dorgqr_|dgemm_|xerbla_|blas)")
  message(FATAL_ERROR "needed from outside: ${CMAKE_MATCH_0}")
endif()

symbols(all)
if(NOT all MATCHES "dgeqrf_" OR NOT all MATCHES "dorgqr_")
  message(FATAL_ERROR "the module holds no LAPACK (or no symbols): nothing is proved")
endif()
if(all MATCHES "(openblas|gotoblas|blas_thread)")
  message(FATAL_ERROR "OpenBLAS is in the module: ${CMAKE_MATCH_0}")
endif()
