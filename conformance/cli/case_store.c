/* case_store.c: see case_store.h. */
#include "cli/case_store.h"

#include "cli/golden_case.h"
#include "harness/message.h"

#include <stdlib.h>
#include <string.h>

static stored_case *find(const case_store *store, const char *id)
{
    for (size_t i = 0; store != NULL && i < store->count; i++)
        if (strcmp(store->cases[i]->c.id, id) == 0)
            return store->cases[i];
    return NULL;
}

static void stored_case_free(stored_case *s)
{
    case_models_free(&s->models, &s->c);
    case_free(&s->c);
    free(s);
}

/* c was made: it becomes the store's, or the user's. Null: no memory, and c is freed. */
static stored_case *keep(case_store *store, test_case *c)
{
    stored_case *taken = calloc(1, sizeof *taken);
    stored_case **more = store != NULL ? realloc(store->cases, (store->count + 1) * sizeof *more) : NULL;
    if (more != NULL)
        store->cases = more;
    if (taken == NULL || (store != NULL && more == NULL)) {
        free(taken);
        case_free(c);
        return NULL;
    }
    *taken = (stored_case){.c = *c, .kept = store != NULL};
    if (store != NULL)
        store->cases[store->count++] = taken;
    return taken;
}

stored_case *case_take(case_store *store, const plan_item *item, const vectors *v, char *message, size_t message_size)
{
    stored_case *taken = find(store, item->id);
    if (taken != NULL)
        return taken;
    test_case c;
    const bool made = item->golden ? golden_case_read(&c, v, item->id, &item->problem, message, message_size)
                                   : case_build(&c, &item->problem, item->id, item->requirements, item->claims,
                                                v->folder, message, message_size);
    if (!made)
        return NULL;
    taken = keep(store, &c);
    if (taken == NULL)
        (void)refuse(message, message_size, "out of memory");
    return taken;
}

stored_case *case_take_second(case_store *store, const plan_item *item, const test_case *first, const vectors *v,
                              char *message, size_t message_size)
{
    char *id = suite_companion_id(item->id);
    stored_case *taken = id != NULL ? find(store, id) : NULL;
    problem other;
    if (taken == NULL) {
        if (id == NULL || !suite_companion_problem(&other, &first->problem, item->companion)) {
            (void)refuse(message, message_size, "out of memory");
        } else {
            test_case c;
            if (case_build(&c, &other, id, "", first->claims, v->folder, message, message_size)) {
                taken = keep(store, &c);
                if (taken == NULL)
                    (void)refuse(message, message_size, "out of memory");
            }
            problem_free(&other);
        }
    }
    free(id);
    return taken;
}

void case_give_back(stored_case *taken)
{
    if (taken != NULL && !taken->kept)
        stored_case_free(taken);
}

void case_store_free(case_store *store)
{
    for (size_t i = 0; i < store->count; i++)
        stored_case_free(store->cases[i]);
    free(store->cases);
    *store = (case_store){0};
}
