/* mpi_module.h: the one function that the module psgd-conform-mpi exports. */
#ifndef CONFORMANCE_HARNESS_MPI_MODULE_H
#define CONFORMANCE_HARNESS_MPI_MODULE_H

#include "harness/runner.h"

#define MPI_MODULE_FILE   "psgd-conform-mpi.so"
#define MPI_MODULE_SYMBOL "mpi_module_runner"

typedef runner *mpi_module_function(const char *implementation, double timeout_seconds, char *message,
                                    size_t message_size);

/* Initialises MPI; the runner's free finalises it. */
PSGD_EXPORT runner *mpi_module_runner(const char *implementation, double timeout_seconds, char *message,
                                      size_t message_size);

#endif
