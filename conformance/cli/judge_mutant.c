/* judge_mutant.c: see judge_mutant.h. */
#include "cli/judge_mutant.h"

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/session.h"
#include "harness/message.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Failed checks of each requirement. */
static void count_failures(mutant_result *result, const verdict *v)
{
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < v->count; i++) {
        const size_t index = (size_t)(v->checks[i].requirement - all);
        if (v->checks[i].state == CHECK_FAIL && result->failures[index] < UINT16_MAX)
            result->failures[index]++;
    }
}

static int run(session *s, mutant_result *result)
{
    const int code = session_prepare(s);
    if (code != 0)
        return code;
    if (!session_run(s) || !session_conclude(s))
        return EXIT_KIT_FAILED;
    count_failures(result, &s->verdict);
    snprintf(s->message, sizeof s->message, "%.500s", s->reasons);
    return s->report.exit_code;
}

static void judge_here(mutant_result *result, mutant_judge *judge, const fault_entry *entry)
{
    char name[128];
    snprintf(name, sizeof name, "%s:%s", mutant_is_honest(entry) ? "honest" : "faulty", entry->name);
    const options o = {.errors = stderr,
                       .command = "run",
                       .implementation = name,
                       .quick = judge->options->quick,
                       .quiet = true,
                       .seed = SEED_DEFAULT,
                       .timeout = judge->options->timeout,
                       .golden = judge->options->golden};
    session s = {.options = &o, .vectors = judge->vectors, .store = o.quick ? &judge->cases : NULL};
    s.runner = runner_processes(judge->kit_path, name, o.timeout);
    if (s.runner == NULL) {
        (void)refuse(s.message, sizeof s.message, "out of memory");
        result->exit_code = EXIT_KIT_FAILED;
    } else {
        result->exit_code = run(&s, result);
        s.runner->free(s.runner);
    }
    snprintf(result->message, sizeof result->message, "%.500s", s.message);
    verdict_free(&s.verdict);
    plan_free(&s.plan);
}

void judge_mutant(mutant_result *result, mutant_judge *judge, const fault_entry *entry)
{
    const double start = now();
    interrupt_watch();
    if (judge->options->way == MUTANTS_ABI)
        judge_here(result, judge, entry);
    else
        judge_mutant_started(result, judge, entry);
    result->seconds = now() - start;
    interrupt_finish();
}
