// toml++ checks its own assumptions only with asserts. Here they are always checked, and a text that violates one is refused like
// any other invalid text.
#undef NDEBUG

#include <stdexcept>

namespace {
struct assumption_failed : std::logic_error {
  using std::logic_error::logic_error;
};
[[noreturn]] void fail(const char *assumption) { throw assumption_failed(assumption); }
}  // namespace

#define TOML_ASSERT(expression) (static_cast<bool>(expression) ? static_cast<void>(0) : fail(#expression))
#define TOML_ENABLE_WINDOWS_COMPAT 0
#define TOML_MAX_NESTED_VALUES 64

#include <toml++/toml.h>

#include <deque>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "CTOML.h"

namespace {
struct document final : ctoml_document {
  toml::table table;
  std::vector<ctoml_node> list;
  std::deque<std::string> dates;
  std::string words;

  document() : ctoml_document{} {}

  void refuse(std::string_view what, const toml::source_position &place) {
    words = what;
    fault = words.c_str();
    line = place.line;
    column = place.column;
  }

  template <typename Date>
  void date(ctoml_node &node, const Date &value) {
    std::ostringstream out;
    out << value;
    const auto &text = dates.emplace_back(out.str());
    node.kind = ctoml_kind_date;
    node.text = text.data();
    node.text_length = text.size();
  }

  void add(const toml::node &value, const toml::key *key) {
    ctoml_node node{};
    node.line = value.source().begin.line;
    if (key != nullptr) {
      if (node.line == 0) node.line = key->source().begin.line;
      node.key = key->data();
      node.key_length = key->length();
    }
    const auto place = list.size();
    switch (value.type()) {
      case toml::node_type::table: {
        const auto &inner = *value.as_table();
        node.kind = ctoml_kind_table;
        node.count = inner.size();
        list.push_back(node);
        for (auto &&[name, element] : inner) add(element, &name);
        return;
      }
      case toml::node_type::array: {
        const auto &inner = *value.as_array();
        node.kind = ctoml_kind_array;
        node.count = inner.size();
        list.push_back(node);
        for (auto &&element : inner) add(element, nullptr);
        // An array of tables has no position of its own: it begins where its first table does.
        if (list[place].line == 0 && node.count > 0) list[place].line = list[place + 1].line;
        return;
      }
      case toml::node_type::string: {
        const auto &text = value.as_string()->get();
        node.kind = ctoml_kind_string;
        node.text = text.data();
        node.text_length = text.size();
        break;
      }
      case toml::node_type::integer:
        node.kind = ctoml_kind_integer;
        node.integer = value.as_integer()->get();
        break;
      case toml::node_type::floating_point:
        node.kind = ctoml_kind_float;
        node.number = value.as_floating_point()->get();
        break;
      case toml::node_type::boolean:
        node.kind = ctoml_kind_boolean;
        node.integer = value.as_boolean()->get() ? 1 : 0;
        break;
      case toml::node_type::date: date(node, value.as_date()->get()); break;
      case toml::node_type::time: date(node, value.as_time()->get()); break;
      case toml::node_type::date_time: date(node, value.as_date_time()->get()); break;
      default: throw std::logic_error("a value of no kind");
    }
    list.push_back(node);
  }
};
}  // namespace

extern "C" ctoml_document *ctoml_parse(const char *text, size_t length) try {
  auto read = std::make_unique<document>();
  try {
    read->table = toml::parse(std::string_view(text, length));
    read->add(read->table, nullptr);
    read->nodes = read->list.data();
    read->count = read->list.size();
  } catch (const toml::parse_error &error) {
    read->refuse(error.description(), error.source().begin);
  } catch (const std::logic_error &) {
    read->refuse("look for an empty name in [ ], a wrong bracket, a time that is not whole, or an invisible character", {});
  }
  return read.release();
} catch (...) {
  return nullptr;
}

extern "C" void ctoml_free(ctoml_document *read) { delete static_cast<document *>(read); }
