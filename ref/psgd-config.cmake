# find_package(psgd): the targets psgd::ref, psgd::comm, and psgd::comm_mpi, which needs MPI.
include("${CMAKE_CURRENT_LIST_DIR}/psgd-targets.cmake")
find_package(MPI QUIET COMPONENTS C)
