/* xml.h: text in XML. Bytes that are not ASCII, and control characters that XML has no place for, become '?': ports and
 * files say what they like. */
#ifndef CONFORMANCE_REPORT_XML_H
#define CONFORMANCE_REPORT_XML_H

#include <stdio.h>

/* As the content of an element. */
void xml_content(FILE *file, const char *text);
/* " name=\"value\"", newlines kept. */
void xml_attribute(FILE *file, const char *name, const char *value);

#endif
