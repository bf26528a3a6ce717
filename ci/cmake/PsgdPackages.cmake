# The packages that the project is built from. Each one that is missing is named together with its Debian package.

function(psgd_missing what package)
  message(FATAL_ERROR "${what} was not found. Debian and Ubuntu: apt-get install ${package} (or run ci/setup).")
endfunction()

find_package(Threads REQUIRED)

find_package(MPI COMPONENTS C)
if(NOT MPI_C_FOUND)
  psgd_missing("OpenMPI" "libopenmpi-dev openmpi-bin")
endif()

find_package(GSL)
if(NOT GSL_FOUND)
  psgd_missing("The GNU Scientific Library" "libgsl-dev")
endif()

find_path(JANSSON_INCLUDE_DIR jansson.h)
find_library(JANSSON_LIBRARY jansson)
if(NOT JANSSON_INCLUDE_DIR OR NOT JANSSON_LIBRARY)
  psgd_missing("jansson" "libjansson-dev")
endif()
add_library(jansson::jansson UNKNOWN IMPORTED)
set_target_properties(
  jansson::jansson PROPERTIES IMPORTED_LOCATION "${JANSSON_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                     "${JANSSON_INCLUDE_DIR}")

# SHA-256 for the manifest of the golden files.
find_path(MD_INCLUDE_DIR sha2.h)
find_library(MD_LIBRARY md)
if(NOT MD_INCLUDE_DIR OR NOT MD_LIBRARY)
  psgd_missing("libmd" "libmd-dev")
endif()
add_library(libmd::libmd UNKNOWN IMPORTED)
set_target_properties(libmd::libmd PROPERTIES IMPORTED_LOCATION "${MD_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                "${MD_INCLUDE_DIR}")

# Reference LAPACK by full path: the plain names liblapack.a and libblas.a are switched by the system's alternatives, and with
# OpenBLAS installed they name OpenBLAS.
find_library(PSGD_REFERENCE_LAPACK NAMES liblapack.a PATH_SUFFIXES lapack NO_CACHE NO_DEFAULT_PATH
             PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/lapack /usr/lib64/lapack /usr/lib/lapack)
find_library(PSGD_REFERENCE_BLAS NAMES libblas.a NO_CACHE NO_DEFAULT_PATH
             PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/blas /usr/lib64/blas /usr/lib/blas)
if(NOT PSGD_REFERENCE_LAPACK)
  psgd_missing("Reference LAPACK as a static archive (.../lapack/liblapack.a)" "liblapack-dev")
endif()
if(NOT PSGD_REFERENCE_BLAS)
  psgd_missing("Reference BLAS as a static archive (.../blas/libblas.a)" "libblas-dev")
endif()
# Its Fortran run-time library, which gcc knows where to find.
execute_process(
  COMMAND gcc -print-file-name=libgfortran.so.5
  OUTPUT_VARIABLE PSGD_GFORTRAN
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT IS_ABSOLUTE "${PSGD_GFORTRAN}")
  find_library(PSGD_GFORTRAN_FOUND NAMES libgfortran.so.5)
  set(PSGD_GFORTRAN "${PSGD_GFORTRAN_FOUND}")
endif()
if(NOT PSGD_GFORTRAN)
  psgd_missing("The Fortran run-time library that reference LAPACK needs" "libgfortran5")
endif()
add_library(psgd_reference_lapack INTERFACE)
target_link_libraries(psgd_reference_lapack INTERFACE "${PSGD_REFERENCE_LAPACK}" "${PSGD_REFERENCE_BLAS}"
                                                      "${PSGD_GFORTRAN}" m)
message(STATUS "Reference LAPACK: ${PSGD_REFERENCE_LAPACK}, ${PSGD_REFERENCE_BLAS}")

# OpenBLAS serves the fast implementation; here it is the neighbour that the reference must not mix with.
find_library(PSGD_OPENBLAS NAMES openblas libopenblas.so.0)
if(NOT PSGD_OPENBLAS)
  psgd_missing("OpenBLAS" "libopenblas-dev")
endif()

if(BUILD_TESTING)
  find_path(CMOCKA_INCLUDE_DIR cmocka.h)
  find_library(CMOCKA_LIBRARY cmocka)
  if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
    psgd_missing("cmocka" "libcmocka-dev")
  endif()
  add_library(cmocka::cmocka UNKNOWN IMPORTED)
  set_target_properties(cmocka::cmocka PROPERTIES IMPORTED_LOCATION "${CMOCKA_LIBRARY}"
                                                  INTERFACE_INCLUDE_DIRECTORIES "${CMOCKA_INCLUDE_DIR}")
endif()

if(PSGD_COVERAGE)
  find_program(PSGD_GCOVR gcovr)
  if(NOT PSGD_GCOVR)
    psgd_missing("gcovr" "gcovr")
  endif()
endif()
