/* problem_parse.c: reads a problem string. Fields stand in any order, each at most once; everything unknown is refused,
 * and the error says where. Next: problem_fields.c, problem_check.c.
 */
#include "harness/problem_reader.h"

#include <ctype.h>
#include <string.h>

#define MAX_LENGTH 1000000 /* of the whole text */

typedef enum match {
    MATCH_PREFIX, /* the rest of the field is the reader's */
    MATCH_NUMBER, /* one letter; a digit or a sign must follow, or it is no such field */
    MATCH_WORD,   /* the whole field */
    MATCH_FLAGS   /* like MATCH_WORD up to a comma, and left unread */
} match;

typedef struct field {
    const char *text;
    match match;
    field_name name;
    bool (*read)(problem_reader *in);
} field;

static const field fields[] = {
    {"W", MATCH_NUMBER, FIELD_WORLD, problem_read_world},
    {"group=", MATCH_PREFIX, FIELD_GROUP, problem_read_group},
    {"r", MATCH_NUMBER, FIELD_R, problem_read_r},
    {"s", MATCH_NUMBER, FIELD_START, problem_read_start},
    {"i", MATCH_NUMBER, FIELD_STEPS, problem_read_steps},
    {"f32", MATCH_FLAGS, FIELD_DTYPE, problem_read_dtype},
    {"f64", MATCH_FLAGS, FIELD_DTYPE, problem_read_dtype},
    {"f16", MATCH_FLAGS, FIELD_DTYPE, problem_read_dtype},
    {"bf16", MATCH_FLAGS, FIELD_DTYPE, problem_read_dtype},
    {"ef", MATCH_FLAGS, FIELD_FLAGS, problem_read_flags},
    {"ws", MATCH_FLAGS, FIELD_FLAGS, problem_read_flags},
    {"bs", MATCH_FLAGS, FIELD_FLAGS, problem_read_flags},
    {"flat", MATCH_FLAGS, FIELD_FLAGS, problem_read_flags},
    {"async", MATCH_FLAGS, FIELD_FLAGS, problem_read_flags},
    {"-", MATCH_FLAGS, FIELD_FLAGS, problem_read_flags},
    {"rate", MATCH_PREFIX, FIELD_RATE, problem_read_rate},
    {"eps", MATCH_PREFIX, FIELD_EPSILON, problem_read_epsilon},
    {"[", MATCH_PREFIX, FIELD_SHAPES, problem_read_shapes},
    {"real:", MATCH_PREFIX, FIELD_SHAPES, problem_read_shape_set},
    {"rec:", MATCH_PREFIX, FIELD_GRADIENTS, problem_read_recording},
    {"grad=", MATCH_PREFIX, FIELD_GRADIENTS, problem_read_gradients},
    {"const", MATCH_WORD, FIELD_CONSTANT, problem_read_constant},
    {"scale=", MATCH_PREFIX, FIELD_SCALE, problem_read_scale},
    {"rev", MATCH_WORD, FIELD_REVERSED, problem_read_reversed},
    {"seed=", MATCH_PREFIX, FIELD_SEED, problem_read_seed},
    {"rs=", MATCH_PREFIX, FIELD_RANDOM_SEED, problem_read_random_seed},
    {"stats=", MATCH_PREFIX, FIELD_STATISTICS, problem_read_statistics},
    {"ckpt=", MATCH_PREFIX, FIELD_CHECKPOINT, problem_read_checkpoint},
};

static bool matches(const char *text, const field *f)
{
    const size_t length = strlen(f->text);
    if (strncmp(text, f->text, length) != 0)
        return false;
    const char next = text[length];
    switch (f->match) {
    case MATCH_PREFIX: return true;
    case MATCH_NUMBER: return isdigit((unsigned char)next) || next == '-' || next == '/' || next == '\0';
    case MATCH_WORD: return next == '/' || next == '\0';
    case MATCH_FLAGS: return next == '/' || next == '\0' || next == ',';
    }
    return false;
}

static bool read_field(problem_reader *in)
{
    const size_t start = in->s.at, length = scan_word(&in->s, "/");
    const char *text = in->s.text + start;
    if (length == 0)
        return scan_fail(&in->s, start, start == 0 ? "the problem string is empty" : "expected a field");
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!matches(text, &fields[i]))
            continue;
        if (in->where[fields[i].name] != PROBLEM_NOT_GIVEN)
            return scan_fail(&in->s, start, "a second field of this kind: '%.*s'", scan_shown(length), text);
        in->where[fields[i].name] = start;
        if (fields[i].match != MATCH_FLAGS)
            in->s.at += strlen(fields[i].text);
        if (!fields[i].read(in))
            return false;
        const char next = in->s.text[in->s.at];
        if (next != '/' && next != '\0')
            return scan_fail(&in->s, in->s.at, "unexpected '%.*s' at the end of a field",
                             scan_shown(scan_word(&in->s, "/")), in->s.text + in->s.at);
        return true;
    }
    return scan_fail(&in->s, start, "unknown field '%.*s'", scan_shown(length), text);
}

static bool read_all(problem_reader *in)
{
    if (strlen(in->s.text) > MAX_LENGTH)
        return scan_fail(&in->s, MAX_LENGTH, "the problem string is longer than %d characters", MAX_LENGTH);
    do {
        if (!read_field(in))
            return false;
    } while (scan_char(&in->s, '/'));
    return problem_check(in);
}

bool problem_parse(problem *p, const char *text, problem_error *error)
{
    problem_error ignored;
    *p = (problem){.start = 2,
                   .error_feedback = true,
                   .warm_start = true,
                   .rate = 2,
                   .statistics_interval = 10000,
                   .checkpoint = -1};
    problem_reader in = {.s = {.text = text, .error = error != NULL ? error : &ignored}, .p = p};
    for (size_t i = 0; i < FIELD_COUNT; i++)
        in.where[i] = PROBLEM_NOT_GIVEN;
    *in.s.error = (problem_error){0};
    if (read_all(&in))
        return true;
    problem_free(p);
    return false;
}
