/* lecture.c: the numbers of ref/README.md, out of the reference itself. Prints them; given the README's path, fails
 * unless every line that it prints stands there. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2, N = 3, M = 2, FIRST = 2, LONG_RUN = 1000 };
static const double gradients[RANKS][N * M] = {{3, 1, 0, 1, 1, 2}, {1, -1, 1, 2, -1, 2}};

/* What a rank puts into its collectives, and what it sees. */
typedef struct notes {
    psgd_comm group;
    int calls;
    double sent[2 * 3 + FIRST][N * M]; /* by collective, of the first compressed steps */
    double out[FIRST + 2][N * M], error[2][N * M], p[2][N], q[2][M];
    double distance[LONG_RUN + 1]; /* of the running mean of the results from the mean gradient */
} notes;

typedef struct lecture {
    bool error_feedback;
    notes of[RANKS];
} lecture;

static psgd_status note_and_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    notes *own = context;
    if (own->calls < 2 * 3 + FIRST && count > 0) {
        memcpy(own->sent[own->calls], data, count * sizeof(double));
    }
    own->calls++;
    return own->group.allreduce_sum(own->group.context, data, count, dtype);
}

static psgd_status draw_three_four(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype,
                                   size_t m, size_t r, void *q)
{
    (void)context, (void)step, (void)bucket, (void)tensor, (void)dtype, (void)m, (void)r;
    ((double *)q)[0] = 3;
    ((double *)q)[1] = 4;
    return PSGD_OK;
}

static void train(const psgd_comm *comm, void *argument)
{
    lecture *l = argument;
    notes *own = &l->of[comm->rank];
    const psgd_implementation *ref = psgd_ref();
    const psgd_q_source three_four = {NULL, draw_three_four};
    psgd_config config = make_config(1, 1);
    config.q_source = &three_four;
    config.use_error_feedback = l->error_feedback;
    psgd_comm noting = *comm;
    own->group = *comm;
    noting.context = own;
    noting.allreduce_sum = note_and_sum;
    psgd_state *state = NULL;
    double total[N * M] = {0}, data[N * M];
    test_bucket b;
    if (ref->create(&config, &noting, &state, NULL, 0) != PSGD_OK) {
        exit(2);
    }
    for (int t = 0; t < FIRST + LONG_RUN; t++) {
        memcpy(data, gradients[comm->rank], sizeof data);
        make_bucket(&b, PSGD_F64, data, 1, (const size_t[][2]){{N, M}});
        if (ref->step(state, &b.bucket) != PSGD_OK) {
            exit(2);
        }
        if (t < FIRST + 2) {
            memcpy(own->out[t], data, sizeof data);
        }
        if (t >= FIRST && t < FIRST + 2) {
            ref->peek(state, PSGD_PART_ERROR, 0, 0, own->error[t - FIRST], sizeof data);
            ref->peek(state, PSGD_PART_P, 0, 0, own->p[t - FIRST], N * sizeof(double));
            ref->peek(state, PSGD_PART_Q, 0, 0, own->q[t - FIRST], M * sizeof(double));
        }
        double squares = 0;
        for (int i = 0; i < N * M && t >= FIRST; i++) {
            total[i] += data[i];
            double d = total[i] / (t - FIRST + 1) - (gradients[0][i] + gradients[1][i]) / RANKS;
            squares += d * d;
        }
        own->distance[t < FIRST ? 0 : t - FIRST + 1] = sqrt(squares);
    }
    ref->destroy(state);
}

/* ---- The flattened variant: the same matrices with a bias beside them, as one square ---- */

enum { LENGTH = N * M + 1, SIDE = 3, PADDED = SIDE * SIDE };
static const double biases[RANKS] = {3, 0.75};

typedef struct flat_notes {
    psgd_comm group;
    int calls;
    double sent[FIRST + 4][LENGTH]; /* by collective: plain ones, then P and Q of each step */
    double square[PADDED], out[2][LENGTH], error[PADDED], p[SIDE], q[SIDE];
} flat_notes;

static psgd_status note_flat_and_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    flat_notes *own = context;
    memcpy(own->sent[own->calls++], data, count * sizeof(double));
    return own->group.allreduce_sum(own->group.context, data, count, dtype);
}

static psgd_status draw_three_four_zero(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype,
                                        size_t m, size_t r, void *q)
{
    ((double *)q)[2] = 0;
    return draw_three_four(context, step, bucket, tensor, dtype, m, r, q);
}

static void train_flattened(const psgd_comm *comm, void *argument)
{
    flat_notes *own = (flat_notes *)argument + comm->rank;
    const psgd_implementation *ref = psgd_ref();
    const psgd_q_source source = {NULL, draw_three_four_zero};
    psgd_config config = make_config(1, 2);
    config.variant = PSGD_FLATTENED;
    config.q_source = &source;
    psgd_comm noting = *comm;
    own->group = *comm;
    noting.context = own;
    noting.allreduce_sum = note_flat_and_sum;
    psgd_state *state = NULL;
    memcpy(own->square, gradients[comm->rank], sizeof gradients[0]);
    own->square[LENGTH - 1] = biases[comm->rank];
    if (ref->create(&config, &noting, &state, NULL, 0) != PSGD_OK) {
        exit(2);
    }
    for (int t = 0; t < FIRST + 2; t++) {
        double *data = own->out[t > FIRST];
        test_bucket b;
        memcpy(data, own->square, sizeof own->out[0]);
        make_bucket(&b, PSGD_F64, data, 2, (const size_t[][2]){{N, M}, {1, 0}});
        if (ref->step(state, &b.bucket) != PSGD_OK) {
            exit(2);
        }
        if (t == FIRST) {
            ref->peek(state, PSGD_PART_ERROR, 0, 0, own->error, sizeof own->error);
            ref->peek(state, PSGD_PART_P, 0, 0, own->p, sizeof own->p);
            ref->peek(state, PSGD_PART_Q, 0, 0, own->q, sizeof own->q);
        }
    }
    ref->destroy(state);
}

/* ---- Printing ---- */

static const char *readme; /* its text, or null */
static int missing;

static void say(const char *line)
{
    puts(line);
    if (readme && !strstr(readme, line)) {
        fprintf(stderr, "not in the README: %s\n", line);
        missing++;
    }
}

/* A matrix of so many columns, rows separated by semicolons. */
static void say_matrix(const char *name, const double *values, int count, int columns)
{
    char line[200];
    int length = snprintf(line, sizeof line, "%-18s", name);
    for (int i = 0; i < count; i++) {
        double value = fabs(values[i]) < 5e-5 ? 0 : values[i]; /* no -0.0000 */
        length += snprintf(line + length, sizeof line - (size_t)length, "%s%8.4f",
                           i > 0 && i % columns == 0 ? " ;" : "", value);
    }
    say(line);
}

static void say_values(const char *name, const double *values, int count)
{
    say_matrix(name, values, count, count == N * M ? M : count);
}

static void say_flattened(const flat_notes *a, const flat_notes *b)
{
    say_matrix("square of rank 0", a->square, PADDED, SIDE);
    say_matrix("square of rank 1", b->square, PADDED, SIDE);
    say_values("flat P of rank 0", a->sent[FIRST], SIDE);
    say_values("flat P of rank 1", b->sent[FIRST], SIDE);
    say_values("flat P", a->p, SIDE);
    say_values("flat Q mean", a->q, SIDE);
    say_values("flat result", a->out[0], LENGTH);
    say_matrix("flat E of rank 0", a->error, PADDED, SIDE);
    say_matrix("flat E of rank 1", b->error, PADDED, SIDE);
    say_values("flat next result", a->out[1], LENGTH);
}

static char *read_text(const char *path)
{
    enum { LARGEST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    char *text = calloc(LARGEST + 1, 1);
    if (!file || !text || fread(text, 1, LARGEST, file) == 0) {
        fprintf(stderr, "%s can't be read\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    static lecture with, without;
    static flat_notes flat[RANKS];
    char *text = argc > 1 ? read_text(argv[1]) : NULL;
    readme = text;
    with.error_feedback = true;
    run_ranks(RANKS, train, &with);
    run_ranks(RANKS, train, &without);
    run_ranks(RANKS, train_flattened, flat);
    const notes *a = &with.of[0], *b = &with.of[1];
    const int p_call = FIRST + 1, q_call = FIRST + 2; /* plain steps make one collective each, the others three */

    say_values("G of rank 0", gradients[0], 6);
    say_values("G of rank 1", gradients[1], 6);
    say_values("plain step", a->out[0], 6);
    say_values("P of rank 0", a->sent[p_call], N);
    say_values("P of rank 1", b->sent[p_call], N);
    say_values("P orthonormal", a->p[0], N);
    say_values("Q of rank 0", a->sent[q_call], M);
    say_values("Q of rank 1", b->sent[q_call], M);
    say_values("Q mean", a->q[0], M);
    say_values("update", a->out[FIRST], 6);
    say_values("E of rank 0", a->error[0], 6);
    say_values("E of rank 1", b->error[0], 6);
    say_values("next P", a->p[1], N);
    say_values("next Q", a->q[1], M);
    say_values("next update", a->out[FIRST + 1], 6);
    for (int t = 1; t <= LONG_RUN; t *= 10) {
        char line[100];
        snprintf(line, sizeof line, "%5d %10.4f %10.4f", t, with.of[0].distance[t], without.of[0].distance[t]);
        say(line);
    }
    say_flattened(&flat[0], &flat[1]);
    free(text);
    return missing == 0 ? 0 : 1;
}
