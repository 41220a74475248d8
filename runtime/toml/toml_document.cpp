#include "runtime/toml/toml_document.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace ke {
namespace {

constexpr std::size_t largest_document = 1u << 20;

text_place place_of(const toml::source_region& region, const std::string& file) {
  return {file, region.begin.line, region.begin.column};
}

toml_node convert(const toml::node& in, const std::string& file) {
  toml_node out;
  out.place = place_of(in.source(), file);
  if (auto table = in.as_table()) {
    for (const auto& [key, value] : *table)
      out.members.push_back({std::string{key.str()}, place_of(key.source(), file), convert(value, file)});
    // The library sorts by name; errors and defaults are told in the order of the file.
    std::sort(out.members.begin(), out.members.end(), [](auto& a, auto& b) {
      return std::pair{a.place.line, a.place.col} < std::pair{b.place.line, b.place.col};
    });
    return out;
  }
  if (auto array = in.as_array()) {
    out.is = toml_node::kind::list;
    for (const auto& item : *array)
      out.items.push_back(convert(item, file));
  } else if (auto text = in.as_string()) {
    out.is = toml_node::kind::text;
    out.text = text->get();
  } else if (auto integer = in.as_integer()) {
    out.is = toml_node::kind::integer;
    out.integer = integer->get();
    out.real = static_cast<double>(out.integer);
  } else if (auto real = in.as_floating_point()) {
    out.is = toml_node::kind::real;
    out.real = real->get();
  } else if (auto boolean = in.as_boolean()) {
    out.is = toml_node::kind::boolean;
    out.boolean = boolean->get();
  } else {
    out.is = toml_node::kind::date;
  }
  return out;
}

} // namespace

toml_node* toml_node::find(std::string_view key) {
  for (auto& m : members)
    if (m.key == key)
      return &m.value;
  return nullptr;
}

const toml_node* toml_node::find(std::string_view key) const {
  return const_cast<toml_node*>(this)->find(key);
}

std::string_view kind_name(toml_node::kind k) {
  static constexpr std::array<std::string_view, 7> names{
      "true/false", "a whole number", "a number", "a string", "a list", "a table", "a date or time"};
  return names[static_cast<std::size_t>(k)];
}

std::optional<toml_node> parse_toml(std::string_view text, const std::string& file,
                                    std::vector<config_error>& errors) {
  if (text.size() > largest_document) {
    errors.push_back(
        {file, 0, 0, "", "the file has " + std::to_string(text.size()) + " bytes; at most 1 MiB is read"});
    return std::nullopt;
  }
  try {
    return convert(toml::parse(text), file);
  } catch (const toml::parse_error& e) {
    std::string text{e.description()};
    if (text.ends_with("could not determine value type"))
      text += "; a string needs quotes";
    errors.push_back(error_at(place_of(e.source(), file), "", std::move(text)));
    return std::nullopt;
  }
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (auto c : text) {
    auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (code < 0x20 || code == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04X", code);
      out += escape;
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string toml_number(double x) {
  char text[40];
  auto [end, error] = std::to_chars(text, text + sizeof text, x);
  std::string out(text, end);
  if (out.find_first_of(".e") == out.npos)
    out += ".0";
  return out;
}

} // namespace ke
