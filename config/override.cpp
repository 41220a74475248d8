#include "config/override.hpp"

#include "config/campaign_file.hpp"
#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ke {
namespace {

const text_place from_command_line{"--set", 0, 0};

std::vector<std::string> parts_of(std::string_view dotted) {
  std::vector<std::string> parts{""};
  for (auto c : dotted)
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

void place_everything(toml_node& node) {
  node.place = from_command_line;
  for (auto& item : node.items)
    place_everything(item);
  for (auto& m : node.members) {
    m.place = from_command_line;
    place_everything(m.value);
  }
}

toml_node value_of(const std::string& text, const key_spec* key) {
  toml_node plain;
  plain.is = toml_node::kind::text;
  plain.text = text;
  plain.place = from_command_line;
  std::vector<config_error> ignored;
  auto document = parse_toml("value = " + text, "--set", ignored);
  if (!document || document->members.size() != 1 || document->members[0].key != "value")
    return plain;
  auto value = std::move(document->members[0].value);
  if (key && value.is != toml_node::kind::text) {
    auto slot = key->at(0);
    if (std::holds_alternative<std::string*>(slot) || std::holds_alternative<choice_slot>(slot))
      return plain;
  }
  place_everything(value);
  return value;
}

/// The element of a list of tables that `part` means, or null with an error.
toml_node* element(toml_node& list, const std::string& name, const std::string& part, const std::string& key,
                   std::vector<config_error>& errors) {
  std::size_t index = 0;
  auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error == std::errc{} && end == part.data() + part.size()) {
    if (index == list.items.size() && index == 0)
      list.items.emplace_back().place = from_command_line;
    if (index < list.items.size())
      return &list.items[index];
    errors.push_back(error_at(from_command_line, key,
                              "there is no " + name + " number " + part + "; the file has " +
                                  std::to_string(list.items.size()) + ", counted from 0"));
    return nullptr;
  }
  std::vector<std::string> names;
  for (auto& item : list.items)
    for (auto field : {"name", "provider", "backend"})
      if (auto value = item.find(field); value && value->is == toml_node::kind::text) {
        if (value->text == part)
          return &item;
        names.push_back(value->text);
        break;
      }
  errors.push_back(error_at(from_command_line, key,
                            "there is no " + name + " named \"" + part + "\"" + did_you_mean(part, names)));
  return nullptr;
}

/// A new, empty member.
toml_node& added(toml_node& table, const std::string& name, toml_node::kind is) {
  table.members.push_back({name, from_command_line, {}});
  auto& value = table.members.back().value;
  value.place = from_command_line;
  value.is = is;
  return value;
}

/// The text as a value of the key `path`.
toml_node value_at(const std::string& path, const std::string& text, const schema& s) {
  // An index into the schema needs an element to exist; keys of lists are all checked by `read_document`
  // later.
  auto in_list =
      std::any_of(s.lists.begin(), s.lists.end(), [&](auto& l) { return path.starts_with(l.name + "."); });
  return value_of(text, in_list ? nullptr : find_key(s, path));
}

} // namespace

void apply_override(toml_node& document, const schema& s, const std::string& assignment,
                    std::vector<config_error>& errors) {
  auto equals = assignment.find('=');
  const std::string key{trimmed(std::string_view{assignment}.substr(0, equals))};
  auto wrong = [&](const std::string& text) { errors.push_back(error_at(from_command_line, key, text)); };
  if (equals == assignment.npos || key.empty())
    return wrong("expected KEY=VALUE, e.g. budget.candidates=100");
  auto parts = parts_of(key);
  auto* at = &document;
  std::string path;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    path += (path.empty() ? "" : ".") + parts[i];
    auto* next = at->find(parts[i]);
    if (i + 1 == parts.size()) {
      auto value = value_at(path, std::string{trimmed(std::string_view{assignment}.substr(equals + 1))}, s);
      auto known = std::find_if(at->members.begin(), at->members.end(),
                                [&](const auto& m) { return m.key == parts[i]; });
      if (known != at->members.end())
        *known = {parts[i], from_command_line, std::move(value)};
      else
        at->members.push_back({parts[i], from_command_line, std::move(value)});
      return;
    }
    auto list = std::find_if(s.lists.begin(), s.lists.end(), [&](auto& l) { return l.name == path; });
    if (!next)
      next = &added(*at, parts[i], list == s.lists.end() ? toml_node::kind::table : toml_node::kind::list);
    if (list != s.lists.end()) {
      if (i + 2 >= parts.size())
        return wrong("say which one and which key: " + list->name + ".0.KEY=VALUE or " + list->name +
                     ".NAME.KEY=VALUE");
      next = element(*next, list->name, parts[++i], key, errors);
      if (!next)
        return;
    }
    if (next->is != toml_node::kind::table)
      return wrong("\"" + path + "\" is not a table");
    at = next;
  }
}

result<campaign_settings> with_override(const campaign_settings& settings, const std::string& assignment) {
  file_context context;
  context.folder = "/";
  auto loaded = parse_campaign(settings_text(settings), context, {assignment});
  if (!loaded.errors.empty()) {
    for (auto& e : loaded.errors) // of a text that nobody has seen
      e.file.clear(), e.line = 0;
    return as_failure(failure_kind::invalid, loaded.errors);
  }
  return std::move(loaded.settings);
}

} // namespace ke
