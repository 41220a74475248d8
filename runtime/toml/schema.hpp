#pragma once

#include "runtime/core/names.hpp"
#include "runtime/toml/toml_document.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ke {

/// One of a few words; the same texts in the file, the store and JSON.
struct choice_slot {
  std::vector<std::string> names;
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;
  std::string* rest = nullptr; ///< target of the text after a name that ends with ':'
};

/// A table of small tables of whole numbers: M = { min = 1, max = 64 }. The user chooses the outer names.
struct tables_slot {
  std::vector<std::string> names; ///< allowed in a small table
  std::function<void(const std::string& table, const std::string& name, std::int64_t value)> set;
  /// In order of `names`.
  std::function<std::vector<std::pair<std::string, std::vector<std::int64_t>>>()> get;
};

/// The place of a key's value. The pointer's type is the type in the file.
using value_slot =
    std::variant<std::string*, std::int64_t*, std::uint64_t*, double*, bool*, std::vector<std::string>*,
                 std::vector<double>*, std::map<std::string, std::int64_t>*,
                 std::map<std::string, std::string>*, choice_slot, tables_slot>;

/// One key of a file. Reading, checking, "did you mean", writing and the manual all use this line.
struct key_spec {
  std::string path;                          ///< "model.price.input"
  std::string doc;                           ///< one line for the manual
  std::function<value_slot(std::size_t)> at; ///< the argument is the index within a list of tables
  double least = 0;                          ///< of numbers, inclusive
  double most = 1e15;
  bool required = false;
  bool path_of_file = false;   ///< resolved against the file's folder; "~" is the home folder
  bool of_expressions = false; ///< a list whose items may also be whole numbers, kept as text
  bool of_numbers = false;     ///< of_expressions: numbers with a point, too
  std::string default_text;    ///< shown in the manual instead of the slot's value
};

/// A key or section of the contract that this version lacks: refused as such, not as a typo.
struct later_spec {
  std::string path;    ///< "budget.per_model", "ui"
  std::string instead; ///< what there is
};

/// A list of tables: [[model]].
struct list_spec {
  std::string name;
  std::function<std::size_t()> add; ///< appends a default element and returns its index
  std::function<std::size_t()> size;
};

/// All keys of one kind of file, bound to one object. The object must outlive it.
struct schema {
  std::vector<key_spec> keys;
  std::vector<list_spec> lists;
  std::vector<later_spec> later;
};

/// The place of each key and section: "budget.usd", "model.0.weight", "model.0".
using place_map = std::map<std::string, text_place>;

/// Reads the document into the object behind `s`. Adds an error for every unknown key, wrong type, value out
/// of range and missing required key. Still assigns what is right, so that later checks can find more.
place_map read_document(const toml_node& document, const schema& s, std::vector<config_error>& errors);

/// Appends an error at the place of "model.0.weight", or of the nearest section around it; its key is
/// "model.weight".
void add_error(std::vector<config_error>& list, const place_map& places, const std::string& file,
               const std::string& place, std::string text);

/// The keys in file order as TOML, with a section line at each change of section. `annotated`: before every
/// key stand documentation, type, range and default.
std::string schema_text(const schema& s, bool annotated);

/// The key with this dotted path (without list indices); null: there is none.
const key_spec* find_key(const schema& s, const std::string& path);

/// The slot of an enum with names (runtime/core/names.hpp). `e` must outlive it.
template <named E>
choice_slot choice_of(E& e, std::string* rest = nullptr) {
  return {{names_of<E>::value.begin(), names_of<E>::value.end()},
          [&e] { return static_cast<std::size_t>(e); },
          [&e](std::size_t i) { e = static_cast<E>(i); },
          rest};
}

} // namespace ke
