#ifndef WAYBILL_CTOML_H
#define WAYBILL_CTOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// TOML 1.0, parsed by toml++, in C's types. A document is one list of nodes: each table and array is followed by its contents.

typedef enum __attribute__((enum_extensibility(closed))) {
  ctoml_kind_table,
  ctoml_kind_array,
  ctoml_kind_string,
  ctoml_kind_integer,
  ctoml_kind_float,
  ctoml_kind_boolean,
  ctoml_kind_date
} ctoml_kind;

// Texts belong to the document, are UTF-8, and may contain NUL.
typedef struct {
  ctoml_kind kind;
  uint32_t line;        // counted from 1; 0 if unknown
  const char *key;      // the name of an entry of a table; otherwise null
  size_t key_length;
  const char *text;     // of a string, or of a date as TOML writes it; otherwise null
  size_t text_length;
  int64_t integer;      // of an integer; 1 for true
  double number;        // of a float
  size_t count;         // in a table or an array: the number of nodes directly in it
} ctoml_node;

typedef struct {
  const ctoml_node *nodes;  // the first is the table of the whole document; null for a text that is not TOML
  size_t count;
  const char *fault;        // the error text; null for a valid text
  uint32_t line, column;    // of the fault; 0 if unknown
} ctoml_document;

// Parses a text in UTF-8. Returns null only if there is not enough memory.
ctoml_document *ctoml_parse(const char *text, size_t length);

void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif

#endif
