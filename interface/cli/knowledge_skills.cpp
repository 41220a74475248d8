#include "interface/cli/knowledge_skills.hpp"

#include "interface/cli/figures.hpp"
#include "knowledge/prompt/quote.hpp"
#include "knowledge/skills/skill_library.hpp"
#include "knowledge/skills/skill_record.hpp"
#include "runtime/core/stable_order.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

json claims_json(const std::vector<skill_claim>& claims) {
  auto list = json::array();
  for (const auto& c : claims) {
    auto workloads = json::array();
    for (const auto& w : c.workloads)
      workloads.push_back(
          {{"name", w.name}, {"speedup", w.speedup}, {"ci95", {w.low, w.high}}, {"held_out", w.held_out}});
    list.push_back({{"device", c.device},
                    {"compared_with", c.compared_with},
                    {"speedup", c.speedup},
                    {"ci95", {c.low, c.high}},
                    {"workloads", workloads}});
  }
  return list;
}

void write_claim(const skill_claim& c, std::ostream& out) {
  out << "    claimed: " << speedup_text(c.speedup, c.low, c.high) << " over "
      << (c.compared_with == "reference" ? "the reference" : in_line(c.compared_with)) << " on "
      << in_line(c.device) << '\n';
  for (const auto& w : c.workloads)
    out << "      " << in_line(w.name) << (w.held_out ? " (held out)" : "") << ": "
        << speedup_text(w.speedup, w.low, w.high) << '\n';
}

json evidence_json(const skill_evidence& e) {
  return {{"store", e.store},     {"campaign", e.campaign},
          {"tree", e.tree},       {"parent", e.parent},
          {"node", e.node},       {"problem", e.problem},
          {"before", e.before},   {"before_ci95", {e.before_low, e.before_high}},
          {"after", e.after},     {"after_ci95", {e.after_low, e.after_high}},
          {"claimed", e.claimed}, {"claims", claims_json(e.claims)}};
}

json skill_json(const skill& s) {
  auto u = uses_of(s);
  auto evidence = json::array();
  for (const auto& e : s.evidence)
    evidence.push_back(evidence_json(e));
  return {{"id", s.id},
          {"kind", "skill"},
          {"title", s.title},
          {"family", s.family},
          {"language", s.language},
          {"dtypes", s.dtypes},
          {"targets", s.targets},
          {"bottleneck", s.bottleneck},
          {"failure", s.failure.empty() ? json(nullptr) : json(s.failure)},
          {"version", s.version},
          {"wins", u.wins},
          {"losses", u.losses},
          {"usefulness", usefulness(u)},
          {"quarantined", is_quarantined(s)},
          {"evidence", evidence},
          {"text", s.text}};
}

/// "reduction; f32; cpu-cpp; in cpp; when the bottleneck is memory": what is not known is left out.
std::string scope_of(const skill& s) {
  std::string text;
  auto add = [&](const std::string& part) {
    if (!part.empty())
      text += (text.empty() ? "" : "; ") + part;
  };
  auto add_all = [&](const std::vector<std::string>& names) {
    std::string all;
    for (const auto& n : names)
      all += (all.empty() ? "" : ", ") + n;
    add(all);
  };
  add(s.family);
  add_all(s.dtypes);
  add_all(s.targets);
  if (!s.language.empty())
    add("in " + s.language);
  if (!s.bottleneck.empty())
    add("when the bottleneck is " + s.bottleneck);
  if (!s.failure.empty())
    add("after " + s.failure);
  return text;
}

} // namespace

result<stored_skills> read_skills(const access_options& where, const std::string& command) {
  auto a = open_access(where);
  if (!a)
    return a.error();
  auto store = local_store(*a, command);
  if (!store)
    return store.error();
  stored_skills found{{}, store->dir()};
  auto read = store->rows<skill>(table::skills, "", [&](std::string_view, const skill& s) {
    found.all.push_back(s);
    return true;
  });
  if (!read)
    return read.error();
  order_stably(found.all, [](const auto& x, const auto& y) {
    return usefulness_bound(uses_of(x)) > usefulness_bound(uses_of(y));
  });
  return found;
}

bool is_quarantined(const skill& s) {
  return ke::is_quarantined(uses_of(s), usefulness({}));
}

std::vector<document> documents_of(const std::vector<skill>& skills, bool all) {
  std::vector<document> documents;
  for (const auto& s : skills)
    if (all || !is_quarantined(s))
      documents.push_back(document_of(s));
  return documents;
}

std::string skills_json(const std::vector<skill>& skills) {
  auto list = json::array();
  for (const auto& s : skills)
    list.push_back(skill_json(s));
  return json_line(list);
}

void write_skills_text(const stored_skills& skills, std::ostream& out) {
  if (skills.all.empty())
    out << "the store holds no learnt skill\n";
  for (const auto& s : skills.all) {
    auto u = uses_of(s);
    out << s.id << "\n  " << in_line(s.title) << '\n'; // a model wrote it
    if (auto scope = scope_of(s); !scope.empty())
      out << "  applies to: " << scope << '\n';
    out << "  shown " << u.wins + u.losses << " times, gained " << u.wins << " times"
        << (is_quarantined(s) ? "; quarantined: prompts do not show it any more" : "") << '\n';
    for (const auto& e : s.evidence) {
      out << "  " << e.problem << ", campaign " << e.campaign << ", node " << e.parent << " -> " << e.node
          << ", in the search: " << speedup_text(e.before, e.before_low, e.before_high) << " -> "
          << speedup_text(e.after, e.after_low, e.after_high) << '\n';
      for (const auto& c : e.claims)
        write_claim(c, out);
    }
  }
  if (!skills.all.empty())
    out << "\nThe pattern of one: ke-runtime knowledge show " << skills.all[0].id << " --store " << skills.dir
        << '\n';
}

} // namespace ke::cli
