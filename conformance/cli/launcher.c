/* launcher.c: see launcher.h. OpenMPI and the PMI launchers (MPICH, Slurm) tell each process its place in the
 * environment. */
#include "cli/launcher.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const SIZE_VARIABLES[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
static const char *const RANK_VARIABLES[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};

static const char *first_set(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (getenv(names[i]) != NULL)
            return getenv(names[i]);
    return NULL;
}

bool launched_by_mpi(void)
{
    return first_set(SIZE_VARIABLES, sizeof SIZE_VARIABLES / sizeof SIZE_VARIABLES[0]) != NULL;
}

bool is_first_process(void)
{
    const char *rank = first_set(RANK_VARIABLES, sizeof RANK_VARIABLES / sizeof RANK_VARIABLES[0]);
    return rank == NULL || strcmp(rank, "0") == 0;
}
