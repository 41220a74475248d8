#include "interface/bench/bench_search.hpp"

#include "config/campaign_file.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/text/source_text.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace ke::cli {
namespace {

constexpr std::uint64_t most_seeds = 100'000;

failure bad(std::string text) {
  return {failure_kind::invalid, std::move(text), false};
}

std::optional<std::uint64_t> number_in_text(std::string_view text) {
  std::uint64_t n = 0;
  auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc{} && at == text.data() + text.size() && !text.empty() ? std::optional{n}
                                                                                  : std::nullopt;
}

/// "A..B", both included, or one number.
result<std::pair<std::uint64_t, std::uint64_t>> seeds_in(const std::string& text) {
  auto dots = text.find("..");
  auto first = number_in_text(std::string_view{text}.substr(0, dots));
  auto last = dots == text.npos ? first : number_in_text(std::string_view{text}.substr(dots + 2));
  if (!first || !last || *last < *first || *last - *first >= most_seeds)
    return bad("--seeds: expected A..B with A <= B and at most " + std::to_string(most_seeds) +
               " seeds, e.g. 1..30, not " + text);
  return std::pair{*first, *last};
}

/// The error for the first key that has an option of its own; empty: none has. From --set such a key would
/// count for the search but not for what is printed (`parallel`: for neither).
std::string misplaced_key(const std::vector<std::string>& set) {
  for (const auto& assignment : set) {
    auto key = trimmed(std::string_view{assignment}.substr(0, assignment.find('=')));
    for (auto [name, option] :
         {std::pair{"policy", "--policy"}, {"memory", "--memory"}, {"parallel", "--in-flight"}})
      if (key == name)
        return std::string{"--set "} + name + " is an option of its own here: use " + option;
  }
  return {};
}

result<std::string> text_of_file(const std::string& path) {
  auto cannot = [&](const std::string& why) {
    return bad("--landscape: cannot read " + path + " (" + why + "); give the path of a landscape file");
  };
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    return cannot("it is a folder");
  std::ifstream file{path, std::ios::binary};
  if (!file)
    return cannot(std::strerror(errno));
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

/// A file that holds the keys of [search] is read, with `overrides` on top, as a campaign's would be.
result<search_settings> settings_of(const search_bench_options& o) {
  std::vector<std::string> overrides{"search.policy=" + o.policy, "search.memory=" + o.memory};
  if (auto wrong = misplaced_key(o.set); !wrong.empty())
    return bad(wrong);
  for (const auto& s : o.set)
    overrides.push_back("search." + s);
  file_context here;
  here.name = "bench search";
  here.folder = "/";
  auto load = parse_campaign("[campaign]\nstore = \"unused\"\n", here, overrides, campaign_use::serve);
  if (!load.errors.empty())
    return bad(to_line(load.errors.front()));
  return load.settings.search;
}

} // namespace

result<search_bench_figures> bench_search(const search_bench_options& o) {
  if (!parse_name<policy_kind>(o.policy))
    return bad("--policy: expected mcts, evolution, beam, greedy or best-of-n, not " + o.policy);
  if (!parse_name<memory_kind>(o.memory))
    return bad("--memory: expected parent, siblings, parent+siblings, clean or adaptive, not " + o.memory);
  auto seeds = seeds_in(o.seeds);
  if (!seeds)
    return seeds.error();
  auto search = settings_of(o);
  if (!search)
    return search.error();
  auto text = text_of_file(o.landscape);
  if (!text)
    return text.error();
  auto world = gene_landscape::parse(*text);
  if (!world)
    return bad(o.landscape + ": " + world.error().text);
  auto figures = run_seeds(*world, *search, seeds->first, seeds->second, o.in_flight, o.evaluations);
  if (!figures)
    return figures.error();
  return search_bench_figures{
      world->name,   figures->median_evaluations,    figures->median_progress, figures->reached,
      figures->runs, std::move(figures->evaluations)};
}

} // namespace ke::cli
