/* xml_form.h: is a text well-formed XML, of the part that this project writes: a declaration, elements with attributes,
 * text with the five named references and decimal ones? And how many elements of a kind has it? */
#ifndef CONFORMANCE_TESTS_REPORT_XML_FORM_H
#define CONFORMANCE_TESTS_REPORT_XML_FORM_H

#include <stdbool.h>
#include <stddef.h>

/* False: message says where it is not. */
bool xml_is_well_formed(const char *text, char *message, size_t message_size);
/* Elements of this name in a well-formed text. */
size_t xml_count(const char *text, const char *name);
/* The number that an attribute of the index-th element of this name has; -1: there is none. */
long xml_number(const char *text, const char *name, size_t index, const char *attribute);

#endif
