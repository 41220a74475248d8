#include "interface/cli/node_artifacts.hpp"

#include "backends/evidence/machine_listing.hpp"
#include "interface/cli/campaign_view.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/node_evidence.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/stable_order.hpp"
#include "runtime/text/json_line.hpp"
#include "runtime/text/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace ke::cli {
namespace {

constexpr const char* how_one_gets_artifacts = "what tools print is kept of each new best of a search and of "
                                               "claims; `ke-runtime profile PROBLEM CANDIDATE` "
                                               "shows it of any source";

failure none_of(const node_view& n, const std::string& what) {
  return {failure_kind::not_found,
          "node " + std::to_string(n.id) + " has no " + what + ": " + how_one_gets_artifacts, false};
}

failure none_called(const node_view& n, const std::string& name, const std::vector<node_artifact>& all) {
  std::string known;
  for (const auto& a : all)
    known += (known.empty() ? "" : ", ") + a.place();
  return {failure_kind::not_found,
          "node " + std::to_string(n.id) + " has no artifact " + name + ": there are " + printable(known),
          false};
}

std::string list_of(const std::vector<node_artifact>& all) {
  std::string text;
  std::size_t widest = 0;
  for (const auto& a : all)
    widest = std::max(widest, printable(a.place()).size());
  for (const auto& a : all) {
    auto place = printable(a.place()), bytes = count_text(a.text.size());
    text += place +
            std::string(widest - place.size() + 2 + (9 - std::min<std::size_t>(9, bytes.size())), ' ') +
            bytes + " bytes\n";
  }
  return text;
}

nlohmann::ordered_json document_of(const node_artifact& a) {
  return {{"name", a.name},
          {"target", a.target},
          {"claim", a.what != measured_for::search},
          {"place", a.place()},
          {"bytes", a.text.size()}};
}

} // namespace

std::string node_artifact::place() const {
  return (target > 0 ? std::to_string(target) + "/" : "") + std::string{to_text(what)} + "/" + name;
}

std::vector<node_artifact> artifacts_of(const campaign_view& c, const node_view& n) {
  std::vector<node_artifact> all;
  each_evidence(c, n, [&](std::uint32_t target, measured_for what, const evidence& e) {
    for (const auto& [name, text] : e.artifacts)
      all.push_back({target, what, name, text});
  });
  order_stably(all, [](const auto& a, const auto& b) {
    auto of_search = [](const node_artifact& x) { return x.what == measured_for::search; };
    return std::tuple{a.target, of_search(a)} < std::tuple{b.target, of_search(b)};
  });
  return all;
}

result<std::string> artifacts_text(const std::vector<node_artifact>& all, const node_view& n,
                                   const std::string& name, bool json) {
  nlohmann::ordered_json document{{"node", n.id}, {"artifacts", nlohmann::ordered_json::array()}};
  if (name.empty()) {
    for (const auto& a : all)
      document["artifacts"].push_back(document_of(a));
    if (json)
      return json_line(document) + "\n";
    return all.empty() ? result<std::string>{none_of(n, "artifacts")} : list_of(all);
  }
  auto named = std::find_if(all.begin(), all.end(),
                            [&](const node_artifact& a) { return a.name == name || a.place() == name; });
  if (named == all.end())
    return all.empty() ? none_of(n, "artifacts") : none_called(n, name, all);
  if (!json)
    return printable(named->text);
  auto one = document_of(*named);
  one["text"] = named->text;
  document["artifacts"].push_back(std::move(one));
  return json_line(document) + "\n";
}

result<std::string> listing_of(const std::vector<node_artifact>& all, const node_view& n, listing_kind kind) {
  const char* ending = kind == listing_kind::assembly ? ".asm"
                       : kind == listing_kind::sass   ? ".sass"
                                                      : ".ptx";
  auto listing =
      std::find_if(all.begin(), all.end(), [&](const node_artifact& a) { return a.name.ends_with(ending); });
  if (listing == all.end())
    return none_of(n, std::string{"listing "} + ending);
  return instructions_of(listing->text, kind);
}

} // namespace ke::cli
