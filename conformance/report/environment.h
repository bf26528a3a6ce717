/* environment.h: what a verdict may depend on besides the port: processor, operating system, preset variables. */
#ifndef CONFORMANCE_REPORT_ENVIRONMENT_H
#define CONFORMANCE_REPORT_ENVIRONMENT_H

#include <stddef.h>

/* The processor's model name, or "unknown". Returns buffer. */
const char *environment_processor(char *buffer, size_t size);
/* Operating system, release and machine type. Returns buffer. */
const char *environment_system(char *buffer, size_t size);

/* Names of environment variables that change bits or speed; null-terminated. */
extern const char *const ENVIRONMENT_VARIABLES[];

#endif
