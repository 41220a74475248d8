#include "config/layers.hpp"

#include "config/file_context.hpp"
#include "config/problem_file.hpp"
#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_layer = 1u << 20;

std::optional<config_layer> layer_at(const fs::path& file, std::vector<config_error>& errors) {
  std::error_code none;
  if (!fs::exists(file, none))
    return std::nullopt;
  auto text = read_named_file(file.string(), largest_layer);
  if (text)
    return config_layer{file.string(), std::move(*text)};
  errors.push_back({file.string(), 0, 0, "", text.error().text});
  return std::nullopt;
}

/// The family that the problem names; empty if it names none. What is wrong with the file is told elsewhere.
std::string family_in(const fs::path& problem_file) {
  std::error_code none;
  if (!fs::exists(problem_file, none))
    return {};
  auto text = read_named_file(problem_file.string(), largest_layer);
  std::vector<config_error> ignored;
  auto document = text ? parse_toml(*text, problem_file.string(), ignored) : std::nullopt;
  const auto* problem = document ? document->find("problem") : nullptr;
  const auto* family = problem ? problem->find("family") : nullptr;
  if (!family || family->is != toml_node::kind::text)
    return {};
  auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  return std::all_of(family->text.begin(), family->text.end(), plain) ? family->text : std::string{};
}

bool may_set(std::string_view path) {
  return (path.starts_with("goal.") && path != "goal.baseline") || path.starts_with("budget.") ||
         path.starts_with("search.");
}

void merge(toml_node& to, const toml_node& from, const std::string& path, std::vector<config_error>& errors) {
  for (const auto& m : from.members) {
    auto key = path + m.key;
    auto section = m.value.is == toml_node::kind::table;
    if (!may_set(section ? key + ".x" : key)) {
      errors.push_back(error_at(m.place, key,
                                "a layer sets [goal] without baseline, [budget] and [search]; this belongs "
                                "into campaign.toml"));
      continue;
    }
    auto* mine = to.find(m.key);
    if (section) {
      if (!mine) {
        to.members.push_back({m.key, m.place, {}});
        mine = &to.members.back().value;
        mine->place = m.value.place;
      }
      if (mine->is == toml_node::kind::table) // else it is told as wrong when it is read
        merge(*mine, m.value, key + ".", errors);
    } else if (!mine) {
      to.members.push_back(m);
    }
  }
}

/// "model.0.weight" -> "model.weight"
std::string without_indices(const std::string& place) {
  std::string path;
  for (std::size_t at = 0; at < place.size();) {
    auto end = std::min(place.find('.', at), place.size());
    auto part = place.substr(at, end - at);
    if (!std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); }))
      path += (path.empty() ? "" : ".") + part;
    at = end + 1;
  }
  return path;
}

} // namespace

std::vector<config_layer> layers_of(const std::string& problem, const file_context& campaign,
                                    std::vector<config_error>& errors) {
  std::vector<config_layer> found;
  auto add = [&](const fs::path& file) {
    if (auto layer = layer_at(file, errors))
      found.push_back(std::move(*layer));
  };
  fs::path path{problem};
  if (problem.empty() || problem.starts_with("aten:"))
    return found;
  if (path.extension() == ".py") {
    add(path.parent_path() / (path.stem().string() + ".defaults.toml"));
    return found;
  }
  std::error_code none;
  auto file = fs::is_directory(path, none) ? path / "problem.toml" : path;
  if (auto family = family_in(file); !family.empty())
    add(fs::path{campaign.folder} / "families" / (family + ".toml"));
  add(file.parent_path() / "defaults.toml");
  return found;
}

void put_under(toml_node& document, const config_layer& layer, std::vector<config_error>& errors) {
  if (auto below = parse_toml(layer.text, layer.name, errors))
    merge(document, *below, "", errors);
}

std::string origins_text(const place_map& places, const schema& keys, const std::string& own) {
  std::string text;
  for (const auto& [key, place] : places) {
    if (!find_key(keys, without_indices(key)))
      continue; // a section
    auto file = place.file.empty() ? own : place.file;
    text += "#   " + key + ": " + file + (place.line ? ":" + std::to_string(place.line) : "") + "\n";
  }
  return "# Where values come from; all other keys have their defaults\n" + text;
}

} // namespace ke
