// toml++ behind a C face; see include/CTOML.h.
#include "CTOML.h"

// Exceptions stay on inside so that memory that runs out is an error as well; none leaves this file.
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES CTOML_MAX_NESTING
#include <toml++/toml.h>

#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <vector>

struct ctoml_document {
  toml::table root;
  std::vector<ctoml_event> events;
};

namespace {

void report(ctoml_error *error, uint32_t line, uint32_t column, std::string_view message) {
  if (error == nullptr) return;
  error->line = line == 0 ? 1 : line;
  error->column = column == 0 ? 1 : column;
  const size_t room = sizeof(error->message) - 1;
  size_t length = message.size() < room ? message.size() : room;
  // A message that is cut is cut between characters.
  while (length < message.size() && length > 0 && (static_cast<unsigned char>(message[length]) & 0xC0) == 0x80) {
    length -= 1;
  }
  std::memcpy(error->message, message.data(), length);
  error->message[length] = 0;
}

/// The first line with more dots than allowed, from 1, or 0.
uint32_t line_of_too_many_dots(std::string_view text) {
  uint32_t line = 1;
  size_t dots = 0;
  for (char byte : text) {
    if (byte == '\n') {
      line += 1;
      dots = 0;
    } else if (byte == '.' && ++dots > CTOML_MAX_DOTS) {
      return line;
    }
  }
  return 0;
}

/// An event of `node`; positions that the library leaves out (implicit tables) fall back to the key's.
ctoml_event event_of(ctoml_kind kind, const toml::key *key, const toml::node &node) {
  ctoml_event event = {};
  event.kind = kind;
  event.line = node.source().begin.line;
  event.column = node.source().begin.column;
  event.key_line = event.line;
  event.key_column = event.column;
  if (key != nullptr) {
    event.key = key->str().data();
    event.key_length = key->str().size();
    if (key->source().begin.line != 0) {
      event.key_line = key->source().begin.line;
      event.key_column = key->source().begin.column;
    }
  }
  if (event.line == 0) {
    event.line = event.key_line;
    event.column = event.key_column;
  }
  if (event.line == 0) event.line = event.column = 1;
  if (event.key_line == 0) event.key_line = event.key_column = 1;
  return event;
}

void walk(const toml::key *key, const toml::node &node, std::vector<ctoml_event> &events) {
  if (const toml::table *table = node.as_table()) {
    events.push_back(event_of(CTOML_TABLE_BEGIN, key, node));
    for (auto entry = table->cbegin(); entry != table->cend(); ++entry) {
      walk(&entry->first, entry->second, events);
    }
    events.push_back(event_of(CTOML_TABLE_END, key, node));
  } else if (const toml::array *array = node.as_array()) {
    events.push_back(event_of(CTOML_ARRAY_BEGIN, key, node));
    for (const toml::node &element : *array) walk(nullptr, element, events);
    events.push_back(event_of(CTOML_ARRAY_END, key, node));
  } else if (const auto *text = node.as_string()) {
    ctoml_event event = event_of(CTOML_STRING, key, node);
    event.text = text->get().data();
    event.text_length = text->get().size();
    events.push_back(event);
  } else if (const auto *integer = node.as_integer()) {
    ctoml_event event = event_of(CTOML_INTEGER, key, node);
    event.integer = integer->get();
    events.push_back(event);
  } else if (const auto *real = node.as_floating_point()) {
    ctoml_event event = event_of(CTOML_FLOAT, key, node);
    event.real = real->get();
    events.push_back(event);
  } else if (const auto *boolean = node.as_boolean()) {
    ctoml_event event = event_of(CTOML_BOOLEAN, key, node);
    event.boolean = boolean->get();
    events.push_back(event);
  } else {
    events.push_back(event_of(CTOML_DATE_TIME, key, node));
  }
}

}  // namespace

ctoml_document *ctoml_parse(const char *bytes, size_t length, ctoml_error *error) {
  try {
    if (length > CTOML_MAX_BYTES) {
      report(error, 1, 1, "the file is larger than 1 MiB");
      return nullptr;
    }
    const std::string_view text = length == 0 ? std::string_view() : std::string_view(bytes, length);
    if (const uint32_t line = line_of_too_many_dots(text)) {
      report(error, line, 1, "more than 64 dots on one line");
      return nullptr;
    }
    auto document = std::make_unique<ctoml_document>();
    document->root = toml::parse(text);
    walk(nullptr, document->root, document->events);
    return document.release();
  } catch (const toml::parse_error &failure) {
    report(error, failure.source().begin.line, failure.source().begin.column, failure.description());
  } catch (const std::exception &failure) {
    report(error, 1, 1, failure.what());
  } catch (...) {
    report(error, 1, 1, "the parser failed");
  }
  return nullptr;
}

size_t ctoml_count(const ctoml_document *document) { return document->events.size(); }

ctoml_event ctoml_event_at(const ctoml_document *document, size_t index) { return document->events[index]; }

void ctoml_free(ctoml_document *document) { delete document; }
