/* no_symbol.c: a shared object that is no port. */
int no_symbol_answer(void);

__attribute__((visibility("default"))) int no_symbol_answer(void)
{
    return 42;
}
