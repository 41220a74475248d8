#include "actors/cli/access.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/figures.hpp"
#include "actors/cli/knowledge_view.hpp"
#include "actors/exit_codes.hpp"
#include "knowledge/corpus.hpp"
#include "knowledge/skill_record.hpp"
#include "runtime/core/stable_order.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

struct search_options {
  std::vector<std::string> signals, backend_paths;
  std::string target, family;
  std::uint32_t level = 0;
  std::size_t limit = 10;
  bool json = false;
};

int search(const search_options& o) {
  auto documents = load_corpus(knowledge_folders(o.backend_paths));
  if (!documents)
    return complain(documents.error());
  auto query = read_query(**documents, o.signals, o.target, o.family);
  if (!query)
    return complain(query.error());
  query->level = o.level;
  auto found = retrieve(**documents, *query, o.limit);
  if (o.json)
    std::cout << search_json(found) << '\n';
  else
    write_search_text(found, std::cout);
  return exit_done;
}

int show(const std::string& id, const std::vector<std::string>& backend_paths, bool as_json) {
  auto documents = load_corpus(knowledge_folders(backend_paths));
  if (!documents)
    return complain(documents.error());
  if (id.empty() && !as_json) {
    std::cout << index_text((*documents)->documents());
    return exit_done;
  }
  if (id.empty()) {
    auto all = json::array();
    for (const auto& d : (*documents)->documents())
      all.push_back(json::parse(document_json(d, false)));
    std::cout << all.dump() << '\n';
    return exit_done;
  }
  auto d = wanted_document(**documents, id);
  if (!d)
    return complain(d.error());
  if (as_json)
    std::cout << document_json(**d, true) << '\n';
  else
    write_document_text(**d, std::cout);
  return exit_done;
}

/// The documents of the folders, or the program's own; findings to stdout, as they are what was asked for.
int lint(const std::vector<std::string>& folders, bool as_json) {
  document_set all;
  for (const auto& folder : folders) {
    auto set = read_folder(folder);
    if (!set)
      return complain(set.error());
    all.documents.insert(all.documents.end(), set->documents.begin(), set->documents.end());
    all.findings.insert(all.findings.end(), set->findings.begin(), set->findings.end());
  }
  auto own = read_embedded();
  auto more = cross_findings(folders.empty() ? own.documents : all.documents, own.documents);
  if (folders.empty())
    all = std::move(own);
  all.findings.insert(all.findings.end(), more.begin(), more.end());
  std::size_t errors = 0;
  auto list = json::array();
  for (const auto& f : all.findings) {
    errors += f.error;
    if (as_json)
      list.push_back({{"path", f.path}, {"line", f.line}, {"error", f.error}, {"text", f.text}});
    else
      std::cout << to_line(f) << '\n';
  }
  if (as_json)
    std::cout << json{{"documents", all.documents.size()}, {"findings", list}}.dump(
                     -1, ' ', false, json::error_handler_t::replace)
              << '\n';
  else
    std::cout << all.documents.size() << " documents are right, " << errors << " errors, "
              << all.findings.size() - errors << " warnings\n";
  return errors ? exit_usage : exit_done;
}

json evidence_json(const skill_evidence& e) {
  return {{"store", e.store},    {"campaign", e.campaign},
          {"tree", e.tree},      {"parent", e.parent},
          {"node", e.node},      {"problem", e.problem},
          {"before", e.before},  {"before_ci95", {e.before_low, e.before_high}},
          {"after", e.after},    {"after_ci95", {e.after_low, e.after_high}},
          {"claimed", e.claimed}};
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
          {"dtypes", s.dtypes},
          {"targets", s.targets},
          {"bottleneck", s.bottleneck},
          {"version", s.version},
          {"wins", u.wins},
          {"losses", u.losses},
          {"usefulness", usefulness(u)},
          {"evidence", evidence},
          {"text", s.text}};
}

/// What campaigns learnt, most useful first, each with its evidence and its record.
int skills(const access_options& where, bool as_json) {
  auto a = open_access(where);
  if (!a)
    return complain(a.error());
  auto store = local_store(*a, "knowledge skills");
  if (!store)
    return complain(store.error());
  std::vector<skill> all;
  auto read = store->rows<skill>(table::skills, "", [&](std::string_view, const skill& s) {
    all.push_back(s);
    return true;
  });
  if (!read)
    return complain(read.error());
  order_stably(all, [](const auto& x, const auto& y) {
    return usefulness_bound(uses_of(x)) > usefulness_bound(uses_of(y));
  });
  if (as_json) {
    auto list = json::array();
    for (const auto& s : all)
      list.push_back(skill_json(s));
    std::cout << list.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    return exit_done;
  }
  if (all.empty())
    std::cout << "the store holds no learnt skill\n";
  for (const auto& s : all) {
    auto u = uses_of(s);
    std::cout << s.id << "\n  shown " << u.wins + u.losses << " times, gained " << u.wins << " times\n";
    for (const auto& e : s.evidence)
      std::cout << "  " << e.problem << ", campaign " << e.campaign << ", node " << e.parent << " -> "
                << e.node << ": " << speedup_text(e.before, e.before_low, e.before_high) << " -> "
                << speedup_text(e.after, e.after_low, e.after_high) << '\n';
  }
  return exit_done;
}

void add_paths(CLI::App& command, std::vector<std::string>& into) {
  command.add_option("--backend-path", into, "Folder with more backends: their knowledge/ is read, too")
      ->allow_extra_args(false);
}

} // namespace

void add_knowledge(CLI::App& app, int& exit_code) {
  auto* family =
      app.add_subcommand("knowledge", "What the model is told besides its task: documents and skills");
  family->require_subcommand(1);
  family->footer("Example:\n  ke-runtime knowledge search --signal bottleneck=memory --target x86-64-avx2 "
                 "--family matmul");

  auto* find =
      family->add_subcommand("search", "What the synthesizer would retrieve for a signal, best first");
  auto o = std::make_shared<search_options>();
  find->add_option("--signal", o->signals,
                   "KEY=VALUE, repeatable: bottleneck, failure, message, dtype (repeatable), depth")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  find->add_option("--target", o->target, "Target of the documents, e.g. x86-64-avx2 (default: any)");
  find->add_option("--family", o->family, "Family of the problem, e.g. softmax (default: any)");
  find->add_option("--level", o->level, "Highest level: 1 common, 2 advanced, 3 expert (default: by depth)")
      ->check(CLI::Range(1, 3));
  find->add_option("--limit", o->limit, "At most so many")->capture_default_str();
  find->add_flag("--json", o->json, "One JSON document");
  add_paths(*find, o->backend_paths);
  find->footer(
      "Example:\n  ke-runtime knowledge search --signal failure=build_failed --signal \"message=undefined "
      "reference to `cblas_sgemm'\" --target x86-64-avx2 --family matmul --json");
  find->callback([=, &exit_code] { exit_code = guarded([&] { return search(*o); }); });

  auto* one = family->add_subcommand("show", "One document; without ID, the index of all");
  auto id = std::make_shared<std::string>();
  auto paths = std::make_shared<std::vector<std::string>>();
  auto json_one = std::make_shared<bool>(false);
  one->add_option("ID", *id, "As `knowledge search` gives it, e.g. guidance/memory/cache-blocking");
  one->add_flag("--json", *json_one, "One JSON document");
  add_paths(*one, *paths);
  one->footer("Example:\n  ke-runtime knowledge show guidance/memory/cache-blocking");
  one->callback([=, &exit_code] { exit_code = guarded([&] { return show(*id, *paths, *json_one); }); });

  auto* check = family->add_subcommand("lint", "Validate documents: each finding with its file and line");
  auto folders = std::make_shared<std::vector<std::string>>();
  auto json_lint = std::make_shared<bool>(false);
  check->add_option("DIR", *folders, "Folders with documents (default: the program's own)");
  check->add_flag("--json", *json_lint, "One JSON document");
  check->footer("Example:\n  ke-runtime knowledge lint my-backend/knowledge\n"
                "Exit code: 0 right (there may be warnings), 2 something is wrong.");
  check->callback([=, &exit_code] { exit_code = guarded([&] { return lint(*folders, *json_lint); }); });

  auto* learnt = family->add_subcommand("skills", "Learnt skills of a store, with their record");
  auto where = add_access(*learnt);
  auto json_skills = std::make_shared<bool>(false);
  learnt->add_flag("--json", *json_skills, "One JSON document");
  learnt->footer("Example:\n  ke-runtime knowledge skills --config campaign.toml");
  learnt->callback([=, &exit_code] { exit_code = guarded([&] { return skills(*where, *json_skills); }); });
}

} // namespace ke::cli
