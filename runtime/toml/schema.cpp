#include "runtime/toml/schema.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace ke {
namespace {

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

/// "5", "0.5", "1000000": bounds as a person writes them.
std::string bound(double x) {
  return x == std::floor(x) ? std::to_string(static_cast<std::int64_t>(x)) : toml_number(x);
}

/// As expressions can say it, without an exponent.
std::string expression_number(double x) {
  char text[400];
  auto [end, error] = std::to_chars(text, text + sizeof text, x, std::chars_format::fixed);
  return {text, end};
}

std::string joined(const std::vector<std::string>& names, const std::string& between) {
  std::string all;
  for (const auto& name : names)
    all += (all.empty() ? "" : between) + name;
  return all;
}

std::string range_text(const key_spec& key) {
  return key.most >= 1e15 ? "at least " + bound(key.least) : bound(key.least) + " to " + bound(key.most);
}

std::string number_text(std::string_view kind, const key_spec& key) {
  return std::string{kind} + (key.least <= -1e15 ? "" : ", " + range_text(key));
}

/// A name like "file:", behind which a text follows.
bool takes_rest(const choice_slot& choice, const std::string& name) {
  return choice.rest && name.ends_with(':');
}

/// Of a choice, as a person writes them.
std::vector<std::string> written_names(const choice_slot& choice) {
  auto names = choice.names;
  for (auto& name : names)
    if (takes_rest(choice, name))
      name += "PATH";
  return names;
}

/// What the key takes, for errors and the manual.
std::string expectation(const key_spec& key, const value_slot& slot) {
  return std::visit(
      overloaded{
          [&](std::string*) -> std::string { return key.path_of_file ? "a string: a path" : "a string"; },
          [&](std::int64_t*) { return number_text("a whole number", key); },
          [&](std::uint64_t*) { return number_text("a whole number", key); },
          [&](double*) { return number_text("a number", key); },
          [&](bool*) -> std::string { return "true or false"; },
          [&](std::vector<std::string>*) -> std::string {
            return key.of_numbers       ? "a list of strings or numbers"
                   : key.of_expressions ? "a list of strings or whole numbers"
                                        : "a list of strings";
          },
          [&](std::vector<double>*) -> std::string { return "a list of numbers"; },
          [&](std::map<std::string, std::int64_t>*) -> std::string { return "a table of whole numbers"; },
          [&](std::map<std::string, std::string>*) -> std::string { return "a table of strings"; },
          [&](const tables_slot& tables) -> std::string {
            return "a table of tables of whole numbers: " + joined(tables.names, " | ");
          },
          [&](const choice_slot& choice) { return "one of " + joined(written_names(choice), " | "); },
      },
      slot);
}

std::string found_text(const toml_node& node) {
  using kind = toml_node::kind;
  switch (node.is) {
  case kind::integer:
    return std::to_string(node.integer);
  case kind::real:
    return std::isfinite(node.real) ? toml_number(node.real) : "a number that is not finite";
  case kind::text:
    return "a string"; // not the text itself: it may be a secret in the wrong place
  default:
    return std::string{kind_name(node.is)};
  }
}

class schema_reading {
public:
  schema_reading(const schema& s, std::vector<config_error>& errors) : schema_{s}, errors_{errors} {}

  place_map all(const toml_node& document) {
    table(document, "", "", 0);
    for (const auto& key : schema_.keys)
      if (key.required)
        check_present(key, document.place.file);
    return std::move(places_);
  }

private:
  using kind = toml_node::kind;

  void table(const toml_node& node, const std::string& path, const std::string& place, std::size_t index) {
    for (const auto& m : node.members) {
      auto member_path = path + m.key, member_place = place + m.key;
      places_[member_place] = m.value.place.line ? m.value.place : m.place;
      if (auto key = find_key(schema_, member_path)) {
        for (const auto& entry : m.value.members)
          places_[member_place + "." + entry.key] = entry.value.place;
        assign(*key, m.value, index);
      } else if (auto list = find_list(member_path))
        tables(*list, m, member_path, member_place);
      else if (is_section(member_path))
        section(m, member_path, member_place, index);
      else if (auto later = find_later(member_path))
        fail(m.place, member_path, "not part of this version; " + later->instead);
      else
        fail(m.place, member_path, "unknown key" + suggestion(m.key, path));
    }
  }

  void section(const toml_node::member& m, const std::string& path, const std::string& place,
               std::size_t index) {
    if (m.value.is == kind::table)
      return table(m.value, path + ".", place + ".", index);
    auto list_of_tables =
        m.value.is == kind::list && !m.value.items.empty() && m.value.items[0].is == kind::table;
    fail(m.value.place, path,
         list_of_tables ? "expected one table [" + path + "], not a list: write it once, with single brackets"
                        : "expected a table, found " + found_text(m.value));
  }

  void tables(const list_spec& list, const toml_node::member& m, const std::string& path,
              const std::string& place) {
    if (m.value.is != kind::list)
      return fail(m.value.is == kind::table ? m.value.place : m.place, path,
                  "expected a list of tables: write [[" + path + "]] with double brackets");
    for (const auto& item : m.value.items) {
      if (item.is != kind::table) {
        fail(item.place, path, "expected a table, found " + found_text(item));
        continue;
      }
      auto index = list.add();
      auto item_place = place + "." + std::to_string(index);
      places_[item_place] = item.place;
      table(item, path + ".", item_place + ".", index);
    }
  }

  void assign(const key_spec& key, const toml_node& node, std::size_t index) {
    auto slot = key.at(index);
    auto wrong = [&] {
      fail(node.place, key.path, "expected " + expectation(key, slot) + ", found " + found_text(node));
    };
    auto in_range = [&] {
      return std::isfinite(node.real) && node.real >= key.least && node.real <= key.most;
    };
    std::visit(
        overloaded{
            [&](std::string* to) { node.is == kind::text ? void(*to = node.text) : wrong(); },
            [&](bool* to) { node.is == kind::boolean ? void(*to = node.boolean) : wrong(); },
            [&](std::int64_t* to) {
              node.is == kind::integer&& in_range() ? void(*to = node.integer) : wrong();
            },
            [&](std::uint64_t* to) {
              node.is == kind::integer&& node.integer >= 0
                  ? void(*to = static_cast<std::uint64_t>(node.integer))
                  : wrong();
            },
            [&](double* to) {
              (node.is == kind::real || node.is == kind::integer) && in_range() ? void(*to = node.real)
                                                                                : wrong();
            },
            [&](std::vector<std::string>* to) { node.is == kind::list ? texts(key, node, *to) : wrong(); },
            [&](std::vector<double>* to) { node.is == kind::list ? reals(key, node, *to) : wrong(); },
            [&](std::map<std::string, std::int64_t>* to) {
              node.is == kind::table ? numbers(key, node, *to) : wrong();
            },
            [&](std::map<std::string, std::string>* to) {
              node.is == kind::table ? named_texts(key, node, *to) : wrong();
            },
            [&](tables_slot& to) { node.is == kind::table ? small_tables(key, node, to) : wrong(); },
            [&](choice_slot& to) { choose(key, node, to); },
        },
        slot);
  }

  void texts(const key_spec& key, const toml_node& node, std::vector<std::string>& to) {
    to.clear();
    for (const auto& item : node.items) {
      if (item.is == kind::text)
        to.push_back(item.text);
      else if (item.is == kind::integer && key.of_expressions)
        to.push_back(std::to_string(item.integer));
      else if (item.is == kind::real && key.of_numbers && std::isfinite(item.real))
        to.push_back(expression_number(item.real));
      else
        fail(item.place, key.path,
             std::string{"expected a string"} +
                 (key.of_numbers       ? " or a number"
                  : key.of_expressions ? " or a whole number"
                                       : "") +
                 ", found " + found_text(item));
    }
  }

  void numbers(const key_spec& key, const toml_node& node, std::map<std::string, std::int64_t>& to) {
    for (const auto& m : node.members) {
      if (m.value.is == kind::integer && m.value.real >= key.least && m.value.real <= key.most)
        to[m.key] = m.value.integer;
      else
        fail(m.value.place, key.path + "." + m.key,
             "expected a whole number, " + range_text(key) + ", found " + found_text(m.value));
    }
  }

  void named_texts(const key_spec& key, const toml_node& node, std::map<std::string, std::string>& to) {
    for (const auto& m : node.members) {
      if (m.value.is == kind::text)
        to[m.key] = m.value.text;
      else
        fail(m.value.place, key.path + "." + m.key, "expected a string, found " + found_text(m.value));
    }
  }

  void reals(const key_spec& key, const toml_node& node, std::vector<double>& to) {
    to.clear();
    for (const auto& item : node.items)
      if ((item.is == kind::real || item.is == kind::integer) && std::isfinite(item.real) &&
          item.real >= key.least && item.real <= key.most)
        to.push_back(item.real);
      else
        fail(item.place, key.path, "expected a number, found " + found_text(item));
  }

  void small_tables(const key_spec& key, const toml_node& node, tables_slot& to) {
    for (const auto& table : node.members) {
      if (table.value.is != kind::table) {
        fail(table.value.place, key.path + "." + table.key,
             "expected a table of " + joined(to.names, ", ") + ", found " + found_text(table.value));
        continue;
      }
      for (const auto& m : table.value.members) {
        auto path = key.path + "." + table.key + "." + m.key;
        if (std::find(to.names.begin(), to.names.end(), m.key) == to.names.end())
          fail(m.place, path, "unknown key" + suggested(m.key, to.names));
        else if (m.value.is == kind::integer && m.value.real >= key.least && m.value.real <= key.most)
          to.set(table.key, m.key, m.value.integer);
        else
          fail(m.value.place, path,
               "expected a whole number, " + range_text(key) + ", found " + found_text(m.value));
      }
    }
  }

  static std::string suggested(const std::string& name, const std::vector<std::string>& names) {
    auto near = did_you_mean(name, names);
    return near.empty() ? "; known here: " + joined(names, " ") : near;
  }

  void choose(const key_spec& key, const toml_node& node, choice_slot& to) {
    if (node.is != kind::text)
      return fail(node.place, key.path, "expected " + expectation(key, to) + ", found " + found_text(node));
    auto found = std::find_if(to.names.begin(), to.names.end(), [&](const std::string& name) {
      return takes_rest(to, name) ? node.text.starts_with(name) && node.text != name : name == node.text;
    });
    if (found == to.names.end())
      return fail(node.place, key.path,
                  "expected " + expectation(key, to) + did_you_mean(node.text, written_names(to)));
    to.set(static_cast<std::size_t>(found - to.names.begin()));
    if (takes_rest(to, *found))
      *to.rest = node.text.substr(found->size());
  }

  void check_present(const key_spec& key, const std::string& file) {
    auto dot = key.path.find('.');
    auto section = key.path.substr(0, dot);
    auto complain = [&](const std::string& place) {
      auto at = places_.find(place);
      fail(at == places_.end() ? text_place{file, 1, 1} : at->second, key.path,
           "required, but missing: " + key.doc);
    };
    if (auto list = find_list(section)) {
      for (std::size_t i = 0; i < list->size(); ++i)
        if (auto place = section + "." + std::to_string(i); !places_.count(place + key.path.substr(dot)))
          complain(place);
    } else if (!places_.count(key.path)) {
      complain(section);
    }
  }

  const list_spec* find_list(const std::string& path) const {
    for (const auto& list : schema_.lists)
      if (list.name == path)
        return &list;
    return nullptr;
  }

  const later_spec* find_later(const std::string& path) const {
    for (const auto& later : schema_.later)
      if (later.path == path)
        return &later;
    return nullptr;
  }

  bool is_section(const std::string& path) const {
    return std::any_of(schema_.keys.begin(), schema_.keys.end(),
                       [&](auto& k) { return k.path.starts_with(path + "."); });
  }

  /// The nearest name of this level; else where a key of exactly this name belongs.
  std::string suggestion(const std::string& name, const std::string& path) const {
    std::set<std::string> here;
    std::string elsewhere;
    for (const auto& key : schema_.keys) {
      if (key.path.starts_with(path)) {
        auto rest = key.path.substr(path.size());
        here.insert(rest.substr(0, rest.find('.')));
      }
      auto dot = key.path.rfind('.');
      if (dot != std::string::npos && key.path.substr(dot + 1) == name && elsewhere.empty())
        elsewhere = " (\"" + name + "\" belongs in [" + key.path.substr(0, dot) + "])";
    }
    std::vector<std::string> names{here.begin(), here.end()};
    auto near = did_you_mean(name, names);
    if (!near.empty() || !elsewhere.empty())
      return near.empty() ? elsewhere : near;
    return "; known here: " + joined(names, " ");
  }

  void fail(const text_place& place, std::string key, std::string text) {
    errors_.push_back(error_at(place, std::move(key), std::move(text)));
  }

  const schema& schema_;
  std::vector<config_error>& errors_;
  place_map places_;
};

std::string value_text(const value_slot& slot) {
  return std::visit(overloaded{
                        [](std::string* x) { return toml_text(*x); },
                        [](std::int64_t* x) { return std::to_string(*x); },
                        [](std::uint64_t* x) { return std::to_string(*x); },
                        [](double* x) { return toml_number(*x); },
                        [](bool* x) -> std::string { return *x ? "true" : "false"; },
                        [](std::vector<std::string>* x) {
                          std::vector<std::string> quoted;
                          for (const auto& text : *x)
                            quoted.push_back(toml_text(text));
                          return "[" + joined(quoted, ", ") + "]";
                        },
                        [](std::vector<double>* x) {
                          std::vector<std::string> numbers;
                          for (auto number : *x)
                            numbers.push_back(toml_number(number));
                          return "[" + joined(numbers, ", ") + "]";
                        },
                        [](const tables_slot& x) {
                          std::vector<std::string> tables;
                          for (const auto& [name, values] : x.get()) {
                            std::vector<std::string> pairs;
                            pairs.reserve(values.size());
                            for (std::size_t i = 0; i < values.size(); ++i)
                              pairs.push_back(x.names[i] + " = " + std::to_string(values[i]));
                            tables.push_back(name + " = { " + joined(pairs, ", ") + " }");
                          }
                          return tables.empty() ? "{}" : "{ " + joined(tables, ", ") + " }";
                        },
                        [](std::map<std::string, std::int64_t>* x) {
                          std::vector<std::string> pairs;
                          for (const auto& [name, value] : *x)
                            pairs.push_back(name + " = " + std::to_string(value));
                          return pairs.empty() ? "{}" : "{ " + joined(pairs, ", ") + " }";
                        },
                        [](std::map<std::string, std::string>* x) {
                          std::vector<std::string> pairs;
                          for (const auto& [name, value] : *x)
                            pairs.push_back(name + " = " + toml_text(value));
                          return pairs.empty() ? "{}" : "{ " + joined(pairs, ", ") + " }";
                        },
                        [](const choice_slot& x) {
                          const auto& name = x.names[x.get()];
                          return toml_text(takes_rest(x, name) ? name + *x.rest : name);
                        },
                    },
                    slot);
}

void write_key(std::string& out, const key_spec& key, std::size_t index, bool annotated) {
  auto slot = key.at(index);
  auto dot = key.path.find('.');
  auto name = dot == std::string::npos ? key.path : key.path.substr(dot + 1);
  auto value = value_text(slot);
  if (annotated) {
    auto standard = !key.default_text.empty() ? key.default_text : value == "\"\"" ? "none" : value;
    out += "\n# " + key.doc + "\n# " + expectation(key, slot) + "; " +
           (key.required ? "required" : "default: " + standard) + "\n";
  }
  out += name + " = " + value + "\n";
}

} // namespace

const key_spec* find_key(const schema& s, const std::string& path) {
  for (const auto& key : s.keys)
    if (key.path == path)
      return &key;
  return nullptr;
}

void add_error(std::vector<config_error>& list, const place_map& places, const std::string& file,
               const std::string& place, std::string text) {
  auto found = places.find(place);
  for (auto part = place; found == places.end() && part.find('.') != part.npos;) {
    part = part.substr(0, part.rfind('.'));
    found = places.find(part);
  }
  std::string key;
  for (std::size_t at = 0; at <= place.size();) {
    auto end = std::min(place.find('.', at), place.size());
    auto part = place.substr(at, end - at);
    if (part.find_first_not_of("0123456789") != part.npos)
      key += (key.empty() ? "" : ".") + part;
    at = end + 1;
  }
  list.push_back(error_at(found == places.end() ? text_place{file, 1, 1} : found->second, std::move(key),
                          std::move(text)));
}

place_map read_document(const toml_node& document, const schema& s, std::vector<config_error>& errors) {
  return schema_reading{s, errors}.all(document);
}

std::string schema_text(const schema& s, bool annotated) {
  std::string out;
  for (auto key = s.keys.begin(); key != s.keys.end();) {
    auto section = key->path.substr(0, key->path.find('.'));
    auto end = std::find_if(key, s.keys.end(),
                            [&](auto& k) { return k.path.substr(0, k.path.find('.')) != section; });
    auto list = std::find_if(s.lists.begin(), s.lists.end(), [&](auto& l) { return l.name == section; });
    auto is_list = list != s.lists.end();
    for (std::size_t i = 0; i < (is_list ? list->size() : 1); ++i) {
      out += (out.empty() ? "" : "\n") + (is_list ? "[[" + section + "]]\n" : "[" + section + "]\n");
      for (auto k = key; k != end; ++k)
        write_key(out, *k, i, annotated);
    }
    key = end;
  }
  return out;
}

} // namespace ke
