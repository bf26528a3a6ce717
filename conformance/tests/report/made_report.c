/* made_report.c: see made_report.h. */
#include "made_report.h"

#include <math.h>

static size_t add(verdict *v, const char *id, const char *case_id, const char *row, double limit)
{
    return verdict_open(v, id, case_id, "W1/r1/f32/[9x9]", row, limit);
}

static void add_failure(verdict *v, const char *id, const char *case_id, const char *row, double ratio, int64_t step)
{
    check_place place = CHECK_NOWHERE;
    place.step = step;
    place.stage = STAGE_OUT;
    place.got = 2;
    place.expected = 1;
    verdict_measure(v, add(v, id, case_id, row, 4), ratio, 0, &place);
}

static void add_pass(verdict *v)
{
    const check_place nowhere = CHECK_NOWHERE;
    verdict_measure(v, add(v, "PSGD-AGG-002", "good", "1b", 4), 2, 0, &nowhere);
}

static void fill(verdict *v)
{
    const check_place nowhere = CHECK_NOWHERE;
    add_pass(v);
    add_failure(v, "PSGD-AGG-002", "bad", "golden", 7, 5); /* the same case twice: the second saw it earlier */
    add_failure(v, "PSGD-AGG-002", "bad", "1b", 6, 3);
    add_failure(v, "PSGD-AGG-002", "bad", "1b", NAN, 3);
    add_failure(v, "PSGD-AGG-007", "bad", "2", 5, 4); /* a SHOULD */
    verdict_expect(v, add(v, "PSGD-SEL-003", "bad", "case", 0), false, &nowhere, "PSGD-AGG-002 failed in this case");
    verdict_expect(v, add(v, "PSGD-ITR-001", "says", "structure", 0), false, &nowhere, "%s",
                   "<port> & \"\033[2J\xff\001]]>\n's words");
    verdict_skip(v, add(v, "PSGD-ALT-001", "c1", "case", 0), SKIP_CLAIM, "claim not tested: %s", "alternating");
    verdict_skip(v, add(v, "PSGD-BAT-001", "c2", "case", 0), SKIP_UNSUPPORTED, "no batching");
    verdict_skip(v, add(v, "PSGD-AGG-006", "c3", "case", 0), SKIP_RANKS, "more ranks needed than mpirun gave");
    verdict_set(v, add(v, "PSGD-RND-001", "c4", "1", 4), CHECK_UNOBSERVED, "no peek");
    verdict_set(v, add(v, "PSGD-ORT-001", "c5", "5", 4), CHECK_UNTRUSTED, "all zero");
    verdict_set(v, add(v, "PSGD-WRM-001", "c6", "case", 0), CHECK_NOT_RUN, "two cases before it timed out");
    const size_t waived = add(v, "PSGD-EF-001", "c7", "2", 10);
    verdict_measure(v, waived, 11, 0, &nowhere);
    v->checks[waived].state = CHECK_WAIVED;
    v->checks[waived].waiver = "known, <see> our list";
}

void made_report_make_good(made_report *m)
{
    *m = (made_report){0};
    add_pass(&m->v);
    m->r = (run_report){.implementation = "./good.so",
                        .port = {.name = "good", .version = "1.0", .claims = PSGD_CLAIM_CORE | PSGD_CLAIM_F64},
                        .vectors_version = 1,
                        .vectors_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                        .tested = PSGD_CLAIM_CORE,
                        .shown = PSGD_CLAIM_CORE,
                        .seed = 1,
                        .fuzz = FUZZ_WHOLE,
                        .timeout = 60,
                        .ranks = 64,
                        .cases_run = 1,
                        .cases_compressed = 1,
                        .seconds = 1.5,
                        .verdict = &m->v};
}

void made_report_make(made_report *m)
{
    static char last_words[] = "line <one>\nline\033 two\n";
    made_report_make_good(m);
    fill(&m->v);
    m->waivers[0] = (report_waiver){.requirement = "PSGD-EF-*",
                                    .case_id = "c7",
                                    .reason = "known, <see> our list",
                                    .expires = "2030-01-31",
                                    .matched = 1,
                                    .waived = 1,
                                    .state = WAIVER_USED};
    m->waivers[1] = (report_waiver){
        .requirement = "PSGD-EF-002", .reason = "was to be mended", .expires = "2020-01-31", .state = WAIVER_EXPIRED};
    m->r.implementation = "./a \"bad\" <port>\033\xff.so";
    m->r.way = WAY_COMMAND;
    m->r.command = (command_outcome){.seconds = 2, .exit_status = 3, .error_tail = last_words};
    m->r.tested |= PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_MULTIRANK;
    m->r.shown |= PSGD_CLAIM_ERROR_FEEDBACK;
    m->r.failed = PSGD_CLAIM_CORE | PSGD_CLAIM_MULTIRANK;
    m->r.out_of_reach = PSGD_CLAIM_SUBGROUP;
    m->r.reasons = "core: PSGD-AGG-002 failed\nmultirank: PSGD-RND-001 has no trusted case\n"
                   "core: PSGD-RND-003 has no trusted case\nmultirank: PSGD-AGG-001 has no trusted case\n"
                   "multirank: no case of this claim was executed and passed\n";
    m->r.exit_code = 1;
    m->r.waiver_file = "list of waivers";
    m->r.waivers = m->waivers;
    m->r.waiver_count = 2;
}
