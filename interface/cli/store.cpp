#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/fold_check.hpp"
#include "interface/cli/store_sharing.hpp"
#include "runtime/process/self_process.hpp"
#include "runtime/store/store_check.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

int check(const access_options& where, bool as_json) {
  auto dir = store_folder(where);
  if (!dir)
    return complain(dir.error());
  auto report = check_store(*dir, {verify_in_child, fold_problems});
  if (!report) {
    if (as_json && exit_code_of(report.error()) == exit_store) // too damaged to be walked: still one document
      std::cout << json_line(json({{"store", *dir},
                                   {"sound", false},
                                   {"rows", json::object()},
                                   {"problem_count", 1},
                                   {"problems", {report.error().text}}}))
                << '\n';
    return complain(report.error());
  }
  if (as_json) {
    std::cout << json_line(json({{"store", *dir},
                                 {"sound", report->sound()},
                                 {"rows", report->rows},
                                 {"problem_count", report->problem_count},
                                 {"problems", report->problems}}))
              << '\n';
  } else {
    for (const auto& p : report->problems)
      std::cout << p << '\n';
    if (report->problem_count > report->problems.size())
      std::cout << "... and " << report->problem_count - report->problems.size() << " more\n";
    std::uint64_t rows = 0;
    for (const auto& [name, n] : report->rows)
      rows += n;
    std::cout << "the store " << *dir << (report->sound() ? " is sound" : " is damaged") << ": "
              << count_text(rows) << " rows, " << count_text(report->rows["blobs"]) << " blobs, "
              << count_text(report->rows["nodes"]) << " nodes, " << count_text(report->rows["journal"])
              << " journal records, " << report->problem_count << " problem(s)\n";
  }
  if (!report->sound())
    std::cerr << "ke-runtime: the store " << *dir
              << " is damaged: restore a backup, or export what is still readable" << std::endl;
  return report->sound() ? exit_done : exit_store;
}

int compact(const access_options& where, bool as_json) {
  auto dir = store_folder(where);
  if (!dir)
    return complain(dir.error());
  auto report = compact_store(*dir, verify_in_child);
  if (!report)
    return complain(report.error());
  if (as_json)
    std::cout << json_line(json({{"store", *dir},
                                 {"bytes_before", report->bytes_before},
                                 {"bytes_after", report->bytes_after},
                                 {"files_removed", report->files_removed}}))
              << '\n';
  else
    std::cout << "compacted " << *dir << ": " << count_text(report->bytes_before) << " -> "
              << count_text(report->bytes_after) << " bytes, " << count_text(report->files_removed)
              << " orphaned files removed\n";
  return exit_done;
}

/// What verify_in_child starts: this process may die of the damage, its parent tells.
int verify_pages(const std::string& dir) {
  auto verified = verify_store(dir);
  if (verified)
    return exit_done;
  std::cerr << verified.error().text << std::endl;
  return exit_store;
}

} // namespace

void add_store(CLI::App& app, int& exit_code) {
  auto* store = app.add_subcommand("store", "Check, shrink, export and merge stores");
  store->require_subcommand(1);
  store->footer("Example: ke-runtime store check --store ~/.local/share/ke-runtime");

  auto* checking = store->add_subcommand(
      "check", "Verify checksums, references and the journals of a store; exit 6 if it is damaged");
  auto where = add_access(*checking);
  auto as_json = std::make_shared<bool>(false);
  checking->add_flag("--json", *as_json, "One JSON document");
  checking->footer("Example: ke-runtime store check --store ~/.local/share/ke-runtime --json");
  checking->callback([=, &exit_code] { exit_code = guarded([&] { return check(*where, *as_json); }); });

  auto* compacting =
      store->add_subcommand("compact", "Rewrite a store without its free pages; no owner may be running");
  auto where_compact = add_access(*compacting);
  auto json_compact = std::make_shared<bool>(false);
  compacting->add_flag("--json", *json_compact, "One JSON document");
  compacting->footer("Example: ke-runtime store compact --store ~/.local/share/ke-runtime");
  compacting->callback(
      [=, &exit_code] { exit_code = guarded([&] { return compact(*where_compact, *json_compact); }); });

  auto* pages =
      store->add_subcommand("verify-pages", "Walk a store's pages; run by ke-runtime itself")->group("");
  auto dir = std::make_shared<std::string>();
  pages->add_option("DIR", *dir)->required();
  pages->callback([=, &exit_code] { exit_code = guarded([&] { return verify_pages(*dir); }); });

  add_store_sharing(*store, exit_code);
}

} // namespace ke::cli
