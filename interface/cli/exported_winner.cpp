#include "interface/cli/exported_winner.hpp"

#include "config/problem_file.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/manifest.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace ke::cli {
namespace {

namespace fs = std::filesystem;
using sorted_json = nlohmann::json;

constexpr std::size_t largest_file = 4u << 20;

sorted_json json_file(const fs::path& file) {
  auto text = read_named_file(file.string(), largest_file);
  return text ? sorted_json::parse(*text, nullptr, false) : sorted_json{};
}

std::string text_at(const sorted_json& j, const char* key) {
  auto at = j.is_object() ? j.find(key) : j.end();
  return at != j.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

std::string told(const sorted_json& verdict, bool claimed) {
  auto timing = verdict.is_object() && verdict.contains("timing") ? verdict["timing"] : sorted_json{};
  if (!timing.is_object() || !timing["speedup"].is_number() || !timing["ci95"].is_array() ||
      timing["ci95"].size() != 2 || !timing["ci95"][0].is_number() || !timing["ci95"][1].is_number())
    return "";
  return speedup_text(timing["speedup"], timing["ci95"][0], timing["ci95"][1]) + " on " +
         text_at(verdict, "device") + (claimed ? ", claimed" : ", not yet claimed");
}

} // namespace

result<exported_winner> read_exported(const std::string& folder) {
  auto sound = verify_folder(folder, true);
  if (!sound)
    return sound.error().kind == failure_kind::not_found
               ? failure{failure_kind::invalid,
                         folder + " is no folder that `export best` wrote: it has no " + manifest_name +
                             "; to judge a candidate, give PROBLEM and CANDIDATE"}
               : sound.error();
  fs::path at{folder};
  auto from = json_file(at / "provenance.json");
  auto problem = text_at(from, "problem_file"), kernel = text_at(from, "kernel");
  if (!plain_name(problem) || !plain_name(kernel) || text_at(from, "backend").empty())
    return failure{failure_kind::invalid,
                   (at / "provenance.json").string() +
                       " does not name problem_file, kernel and backend: export the winner again with this "
                       "version, or give PROBLEM and CANDIDATE"};
  baseline against{text_at(from, "baseline"), {}};
  if (auto file = text_at(from, "baseline_file"); plain_name(file)) {
    auto source = read_named_file((at / file).string(), largest_file);
    if (!source)
      return source.error();
    against.source = *std::move(source);
  }
  auto claimed = from.contains("claimed") && from["claimed"] == true;
  return exported_winner{(at / problem).string(), (at / kernel).string(), text_at(from, "backend"),
                         told(json_file(at / "verdict.json"), claimed), std::move(against)};
}

} // namespace ke::cli
