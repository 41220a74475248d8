#include "backends/evaluation/backend.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/knowledge_skills.hpp"
#include "interface/cli/knowledge_view.hpp"
#include "knowledge/library/corpus.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

/// Which documents: the program's own, those of other backends and, if a store is named, its skills.
struct library_options {
  std::vector<std::string> backend_paths;
  access_options where;
  bool names_store() const { return !where.store.empty() || !where.config.empty(); }
};

struct search_options {
  library_options library;
  std::vector<std::string> signals;
  std::string target, family;
  std::uint32_t level = 0;
  std::int64_t limit = 10;
  bool json = false;
};

result<std::shared_ptr<const corpus>> open_library(const library_options& o, const std::string& command,
                                                   bool with_quarantined) {
  if (auto fine = check_backend_paths(o.backend_paths); !fine)
    return fine.error();
  auto written = load_corpus(knowledge_folders(o.backend_paths));
  if (!written || !o.names_store())
    return written;
  auto skills = read_skills(o.where, command);
  if (!skills)
    return skills.error();
  auto all = (*written)->documents();
  for (auto& d : documents_of(skills->all, with_quarantined))
    all.push_back(std::move(d));
  return std::shared_ptr<const corpus>{std::make_shared<corpus>(std::move(all))};
}

int search(const search_options& o) {
  if (o.limit < 1)
    return complain({failure_kind::invalid, "--limit " + std::to_string(o.limit) +
                                                ": write how many documents to print at most, from 1"});
  if (o.signals.empty() && o.target.empty() && o.family.empty())
    return complain({failure_kind::invalid, "tell what to search for: --signal KEY=VALUE, --target TARGET or "
                                            "--family FAMILY"});
  auto documents = open_library(o.library, "knowledge search", false);
  if (!documents)
    return complain(documents.error());
  auto query = read_query(**documents, o.signals, o.target, o.family);
  if (!query)
    return complain(query.error());
  query->level = o.level;
  if (o.library.names_store()) // skills are for a backend, and a prompt asks for its target and its backend
    if (auto all = load_backends(built_in_backends(),
                                 {o.library.backend_paths.begin(), o.library.backend_paths.end()}))
      for (auto& b : backends_of(*all, o.target))
        query->targets.push_back(std::move(b));
  auto found = retrieve(**documents, *query, static_cast<std::size_t>(o.limit));
  if (o.json)
    std::cout << search_json(found) << '\n';
  else
    write_search_text(found, std::cout);
  return exit_done;
}

int show(const std::string& id, const library_options& library, bool as_json) {
  auto documents = open_library(library, "knowledge show", true);
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
    std::cout << json_line(all) << '\n';
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
  std::set<std::string> wrong;
  auto list = json::array();
  for (const auto& f : all.findings) {
    errors += f.error;
    if (f.error)
      wrong.insert(f.path);
    if (as_json)
      list.push_back({{"path", f.path}, {"line", f.line}, {"error", f.error}, {"text", f.text}});
    else
      std::cout << to_line(f) << '\n';
  }
  auto right =
      static_cast<std::size_t>(std::count_if(all.documents.begin(), all.documents.end(),
                                             [&](const document& d) { return !wrong.contains(d.path); }));
  auto warnings = all.findings.size() - errors;
  if (as_json)
    std::cout << json_line(json{{"documents", right}, {"findings", list}}) << '\n';
  else
    std::cout << right << (right == 1 ? " document is right, " : " documents are right, ") << errors
              << (errors == 1 ? " error, " : " errors, ") << warnings
              << (warnings == 1 ? " warning\n" : " warnings\n");
  return errors ? exit_usage : exit_done;
}

/// What campaigns learnt, most useful first, each with evidence and record.
int skills(const access_options& where, bool as_json) {
  auto found = read_skills(where, "knowledge skills");
  if (!found)
    return complain(found.error());
  if (as_json)
    std::cout << skills_json(found->all) << '\n';
  else
    write_skills_text(*found, std::cout);
  return exit_done;
}

void add_library(CLI::App& command, library_options& into) {
  command
      .add_option("--backend-path", into.backend_paths,
                  "Folder with more backends: their knowledge/ is read, too")
      ->allow_extra_args(false);
  command.add_option("--store", into.where.store, "A store's folder: its learnt skills are included")
      ->type_name("DIR");
  command.add_option("--config", into.where.config, "The campaign.toml whose store is meant")
      ->type_name("FILE");
}

void add_document_search(CLI::App& family, int& exit_code) {
  auto* find = family.add_subcommand("search", "Documents that a prompt would get for a signal, best first");
  auto o = std::make_shared<search_options>();
  find->add_option("--signal", o->signals,
                   "KEY=VALUE, repeatable: bottleneck, cause, failure, message, dtype (repeatable), depth")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  find->add_option("--target", o->target, "Target of the documents, e.g. x86-64-avx2 (default: any)");
  find->add_option("--family", o->family, "Family of the problem, e.g. softmax (default: any)");
  find->add_option("--level", o->level, "Highest level: 1 common, 2 advanced, 3 expert (default: by depth)")
      ->check(CLI::Range(1, 3));
  find->add_option("--limit", o->limit, "Most documents to show, at least 1")->capture_default_str();
  find->add_flag("--json", o->json, "One JSON document");
  add_library(*find, o->library);
  find->footer(
      "Example:\n  ke-runtime knowledge search --signal failure=build_failed --signal \"message=undefined "
      "reference to `cblas_sgemm'\" --target x86-64-avx2 --family matmul --json");
  find->callback([=, &exit_code] { exit_code = guarded([&] { return search(*o); }); });
}

void add_document(CLI::App& family, int& exit_code) {
  auto* one = family.add_subcommand("show", "One document; without ID, the index of all");
  auto id = std::make_shared<std::string>();
  auto library = std::make_shared<library_options>();
  auto json_one = std::make_shared<bool>(false);
  one->add_option("ID", *id,
                  "An id from `knowledge search` or `skills`, e.g. guidance/memory/cache-blocking");
  one->add_flag("--json", *json_one, "One JSON document");
  add_library(*one, *library);
  one->footer("Example:\n  ke-runtime knowledge show guidance/memory/cache-blocking");
  one->callback([=, &exit_code] { exit_code = guarded([&] { return show(*id, *library, *json_one); }); });
}

void add_document_lint(CLI::App& family, int& exit_code) {
  auto* check = family.add_subcommand("lint", "Validate documents: each finding with its file and line");
  auto folders = std::make_shared<std::vector<std::string>>();
  auto json_lint = std::make_shared<bool>(false);
  check->add_option("DIR", *folders, "Folders with documents (default: the program's own)");
  check->add_flag("--json", *json_lint, "One JSON document");
  check->footer("Example:\n  ke-runtime knowledge lint my-backend/knowledge\nExit code: 0 without errors "
                "(warnings are allowed), else 2.");
  check->callback([=, &exit_code] { exit_code = guarded([&] { return lint(*folders, *json_lint); }); });
}

void add_skill_list(CLI::App& family, int& exit_code) {
  auto* learnt = family.add_subcommand("skills", "Learnt skills of a store, and how useful each has been");
  auto where = add_access(*learnt);
  auto json_skills = std::make_shared<bool>(false);
  learnt->add_flag("--json", *json_skills, "One JSON document");
  learnt->footer("Example:\n  ke-runtime knowledge skills --config campaign.toml");
  learnt->callback([=, &exit_code] { exit_code = guarded([&] { return skills(*where, *json_skills); }); });
}

} // namespace

void add_knowledge(CLI::App& app, int& exit_code) {
  auto* family =
      app.add_subcommand("knowledge", "What the model is told besides its task: documents and skills");
  family->require_subcommand(1);
  family->footer("Example:\n  ke-runtime knowledge search --signal bottleneck=memory --target x86-64-avx2 "
                 "--family matmul");
  add_document_search(*family, exit_code);
  add_document(*family, exit_code);
  add_document_lint(*family, exit_code);
  add_skill_list(*family, exit_code);
}

} // namespace ke::cli
