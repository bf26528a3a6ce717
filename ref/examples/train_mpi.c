/* train_mpi.c: a linear model, trained over MPI twice: with the plain mean of the gradients, then with PowerSGD.
 *
 * Every rank has its own samples of y = W x + b. Each step it computes the gradient of its own loss, psgd_ref()
 * replaces that by the (compressed) mean over the ranks, and every rank takes the same step downhill.
 *
 *   cc -std=c11 train_mpi.c $(pkg-config --cflags --libs psgd-ref psgd-comm-mpi) -o train_mpi
 *   mpirun -n 2 ./train_mpi */
#include <psgd/comm_mpi.h>
#include <psgd/ref.h>

#include <stdio.h>

enum { OUT = 32, IN = 24, WEIGHTS = OUT * IN, PARAMETERS = WEIGHTS + OUT, SAMPLES = 64, STEPS = 200, START = 2 };

/* Between -1 and 1. */
static float draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(*seed >> 32) / 2147483648.0f;
}

/* y of one sample x, by parameters W [OUT x IN], then b [OUT]. */
static float predict(const float *parameters, const float *x /* [IN] */, int o)
{
    float y = parameters[WEIGHTS + o];
    for (int i = 0; i < IN; i++)
        y += parameters[o * IN + i] * x[i];
    return y;
}

/* The mean squared residual over this rank's samples, and its gradient, laid out like the parameters. */
static double loss_and_gradient(float *gradient, const float *parameters, float (*x)[IN], float (*y)[OUT])
{
    double loss = 0;
    for (int j = 0; j < PARAMETERS; j++)
        gradient[j] = 0;
    for (int k = 0; k < SAMPLES; k++)
        for (int o = 0; o < OUT; o++) {
            const float residual = predict(parameters, x[k], o) - y[k][o];
            loss += (double)residual * residual / SAMPLES;
            gradient[WEIGHTS + o] += 2 * residual / SAMPLES;
            for (int i = 0; i < IN; i++)
                gradient[o * IN + i] += 2 * residual * x[k][i] / SAMPLES;
        }
    return loss;
}

static void check(psgd_status status, const char *message)
{
    if (status != PSGD_OK) {
        fprintf(stderr, "%s: %s\n", psgd_status_name(status), message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Trains from zero; losses[STEPS + 1]: the mean over the ranks. Returns the bytes of gradients that each rank sent. */
static double train(double *losses, float (*x)[IN], float (*y)[OUT], const psgd_comm *comm, double min_compression_rate)
{
    static const size_t weight_dims[] = {OUT, IN}, bias_dims[] = {OUT};
    static const psgd_shape shapes[] = {{2, weight_dims}, {1, bias_dims}};
    const psgd_implementation *ref = psgd_ref();
    char message[256] = "";
    float parameters[PARAMETERS] = {0}, gradient[PARAMETERS];

    psgd_config config = psgd_config_default(); /* error feedback and warm start are on */
    config.matrix_approximation_rank = 2;
    config.start_iter = START;
    config.min_compression_rate = min_compression_rate;
    psgd_state *state;
    check(ref->create(&config, comm, &state, message, sizeof message), message);
    const psgd_bucket bucket = {(uint32_t)sizeof bucket, PSGD_F32, 0, true, gradient, 2, shapes};

    for (int step = 0; step <= STEPS; step++) {
        losses[step] = loss_and_gradient(gradient, parameters, x, y) / comm->size;
        MPI_Allreduce(MPI_IN_PLACE, &losses[step], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        check(ref->step(state, &bucket), ref->last_error(state));
        for (int j = 0; j < PARAMETERS; j++)
            parameters[j] -= 0.2f * gradient[j];
    }
    psgd_statistics counted; /* of the compressed steps; the first START ones sent everything */
    check(ref->statistics(state, &counted), ref->last_error(state));
    ref->destroy(state);
    return (double)sizeof(float) * ((double)counted.numel_after_compression + (double)START * PARAMETERS);
}

int main(int argc, char **argv)
{
    static float truth[PARAMETERS], x[SAMPLES][IN], y[SAMPLES][OUT];
    static double plain[STEPS + 1], compressed[STEPS + 1];
    char message[256] = "";
    psgd_comm comm;
    MPI_Init(&argc, &argv);
    check(psgd_comm_mpi_create(MPI_COMM_WORLD, &comm, message, sizeof message), message);

    uint64_t seed = 1, own_seed = 1000 + (uint64_t)comm.rank; /* one truth, but each rank's own samples of it */
    for (int j = 0; j < PARAMETERS; j++)
        truth[j] = draw(&seed);
    for (int k = 0; k < SAMPLES; k++) {
        for (int i = 0; i < IN; i++)
            x[k][i] = draw(&own_seed);
        for (int o = 0; o < OUT; o++)
            y[k][o] = predict(truth, x[k], o) + 0.01f * draw(&own_seed);
    }

    const double plain_bytes =
        train(plain, x, y, &comm, 1e9); /* a rate that no tensor reaches: nothing is compressed */
    const double compressed_bytes = train(compressed, x, y, &comm, 2);
    if (comm.rank == 0) {
        printf("step    loss, plain mean    loss, PowerSGD of rank 2\n");
        for (int step = 0; step <= STEPS; step += 20)
            printf("%4d    %16.6f    %24.6f\n", step, plain[step], compressed[step]);
        printf("bytes per rank: %.0f plain, %.0f compressed, %.1f times less\n", plain_bytes, compressed_bytes,
               plain_bytes / compressed_bytes);
    }
    psgd_comm_mpi_release(&comm);
    MPI_Finalize();
    return 0;
}
