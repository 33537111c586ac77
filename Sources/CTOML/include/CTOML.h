// A C face for toml++ (https://marzer.github.io/tomlplusplus), which is header-only C++ and keeps the source
// position of every key and value. A document is a flat list of events in the order of a depth-first walk:
// begin and end of tables and arrays, and values in between.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most bytes that `ctoml_parse` takes.
#define CTOML_MAX_BYTES 1048576
/// The most dots on one line: bounds the depth of dotted keys, which the library itself does not.
#define CTOML_MAX_DOTS 64
/// The deepest nesting of arrays and inline tables.
#define CTOML_MAX_NESTING 16

/// What an event says.
typedef enum {
  CTOML_TABLE_BEGIN = 0,
  CTOML_TABLE_END = 1,
  CTOML_ARRAY_BEGIN = 2,
  CTOML_ARRAY_END = 3,
  CTOML_STRING = 4,
  CTOML_INTEGER = 5,
  CTOML_FLOAT = 6,
  CTOML_BOOLEAN = 7,
  /// A date, a time or both; its value is not given.
  CTOML_DATE_TIME = 8
} ctoml_kind;

/// One event. Pointers are valid until the document is freed; texts are UTF-8 and not terminated.
typedef struct {
  ctoml_kind kind;
  /// The key in the table around it, NULL within an array and for the root table.
  const char *key;
  size_t key_length;
  /// Where the key stands, from 1; of the value where there is no key.
  uint32_t key_line, key_column;
  /// Where the value stands, from 1.
  uint32_t line, column;
  /// The text of a string.
  const char *text;
  size_t text_length;
  int64_t integer;
  double real;
  bool boolean;
} ctoml_event;

/// Why a document could not be parsed, and where, from 1.
typedef struct {
  uint32_t line, column;
  char message[256];
} ctoml_error;

typedef struct ctoml_document ctoml_document;

/// Parses `length` bytes of TOML 1.0. Never throws and never aborts; reentrant.
///
/// Returns NULL and fills `error` if the bytes are no TOML, too many, or nested too deeply.
ctoml_document *ctoml_parse(const char *bytes, size_t length, ctoml_error *error);

/// How many events the document has, at least two: begin and end of the root table.
size_t ctoml_count(const ctoml_document *document);

/// The event at `index`, which must be below the count.
ctoml_event ctoml_event_at(const ctoml_document *document, size_t index);

/// Frees a document; NULL is fine.
void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif
