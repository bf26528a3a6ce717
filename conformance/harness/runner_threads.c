/* runner_threads.c: ranks as threads. Every run is one process of the kit, with the hidden command "rank", whose
 * threads are the ranks (rank_threads.c); beyond that all is as with ranks as processes. Read next: process_run.c.
 *
 * This is how a port is run under ThreadSanitizer, and what finds one whose states are not independent of each other.
 */
#include "harness/process_run.h"

runner *runner_threads(const char *kit_path, const char *implementation, double timeout_seconds)
{
    runner *base = runner_processes(kit_path, implementation, timeout_seconds);
    if (base != NULL)
        ((processes *)base)->threads = true;
    return base;
}
