#include "interface/cli/store_sharing.hpp"

#include "interface/cli/access.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/store_turn.hpp"
#include "knowledge/skills/shared_files.hpp"
#include "runtime/core/wall_clock.hpp"
#include "runtime/process/self_process.hpp"
#include "runtime/store/store_service.hpp"
#include "runtime/store/store_share.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::chrono::minutes patience_with_owner{30};    ///< with the owner, for one file
constexpr std::chrono::seconds patience_with_commands{15}; ///< that hold the store, too

int export_to(const access_options& where, const std::string& file, bool as_json) {
  auto a = open_access(where);
  if (!a)
    return complain(a.error());
  auto store = local_store(*a, "store export");
  if (!store)
    return complain(store.error());
  const auto& campaign = where.campaign; // --config names the store here, not one campaign of it
  auto done = export_store(*store, file, {campaign, unix_ms_now(), KE_VERSION});
  if (!done)
    return complain(done.error());
  if (as_json)
    std::cout << json_line(json({{"file", file},
                                 {"store", store->id()},
                                 {"campaign", campaign},
                                 {"records", done->records},
                                 {"content", done->content}}))
              << '\n';
  else
    std::cout << "exported " << count_text(done->records) << " records of "
              << (campaign.empty() ? "the store " : "campaign " + campaign + " of the store ") << store->dir()
              << " to " << file << "\ncontent " << done->content << '\n';
  return exit_done;
}

/// The owner merges what lies in its store's own folder: no client can name another file to it.
result<std::string> through_owner(control_client& owner, const std::string& dir, const std::string& file) {
  auto name = hand_over(dir, file);
  if (!name)
    return name.error();
  auto answer = owner.ask(json_line(json({{"command", "merge"}, {"name", *name}})), patience_with_owner);
  take_back(dir, *name);
  if (!answer)
    return answer.error();
  auto said = json::parse(answer->json, nullptr, false);
  if (answer->exit_code != exit_done || !said.is_object())
    return failure{answer->exit_code == exit_store ? failure_kind::corrupt : failure_kind::invalid,
                   file + ": " + error_in(answer->json)};
  return answer->json;
}

/// What was taken from one file, as a line.
void tell(const json& j, const std::string& dir) {
  std::string added;
  for (const auto& [kind, count] : j["added"].items())
    added += (added.empty() ? "" : ", ") + count_text(count.get<std::uint64_t>()) + " " + kind +
             (count == 1 ? "" : "s");
  std::cout << "merged " << j["file"].get<std::string>() << " (store "
            << j["from"]["store"].get<std::string>() << ", exported "
            << time_text(j["from"]["exported_unix_ms"].get<std::uint64_t>()) << ") into " << dir << ": "
            << (added.empty() ? "nothing new" : added) << std::endl;
}

/// Takes one file after the other; `take` gives the report of one. What was taken is told even if a later
/// file is refused: it stays in the store.
int take_each(const std::vector<std::string>& files, const std::string& dir, bool as_json,
              const std::function<result<std::string>(const std::string&)>& take) {
  auto all = json::array();
  status done = ok;
  for (const auto& file : files) {
    auto report = take(file);
    if (!report) {
      done = report.error();
      break;
    }
    auto j = json::parse(*report);
    j["file"] = file;
    if (!as_json)
      tell(j, dir);
    all.push_back(std::move(j));
  }
  if (as_json && (done || !all.empty()))
    std::cout << json_line(json({{"store", dir}, {"merged", all}})) << '\n';
  return done ? exit_done : complain(done.error());
}

/// Who merges: the store's owner, or this process as its owner for that long.
struct merger {
  std::optional<access> through;
  std::unique_ptr<store_service> own;
};

result<merger> merger_of(const access_options& where, const std::string& dir) {
  if (fs::exists(dir + "/STORE")) {
    auto a = open_access(where, ask_owner::yes);
    if (!a)
      return a.error();
    if (a->silence)
      return failure{failure_kind::held,
                     a->silence->text + "; end it, or wait until it answers, and merge again"};
    if (a->owner)
      return merger{std::move(*a), nullptr};
  }
  store_options own;
  own.dir = dir;
  own.program = KE_VERSION;
  own.verify = verify_in_child;
  auto store = store_service::open(std::move(own));
  if (!store)
    return store.error();
  return merger{std::nullopt, std::move(*store)};
}

int merge(const access_options& where, const std::vector<std::string>& files, bool as_json) {
  auto dir = store_folder(where);
  if (!dir)
    return complain(dir.error());
  auto by =
      in_turn(*dir, [&] { return merger_of(where, *dir); }, moments_within(patience_with_commands, *dir));
  if (!by)
    return complain(by.error());
  if (by->through)
    return take_each(files, *dir, as_json, [&](const std::string& file) {
      return through_owner(*by->through->owner, by->through->store->dir(), file);
    });
  auto view = store_reader::open(by->own->dir());
  if (!view)
    return complain(view.error());
  return take_each(files, *dir, as_json, [&](const std::string& file) -> result<std::string> {
    auto done = merge_into(*view, *by->own, file, join_skills);
    if (!done)
      return done.error();
    return merge_json(*done);
  });
}

} // namespace

void add_store_sharing(CLI::App& store, int& exit_code) {
  auto* exporting = store.add_subcommand(
      "export", "Solutions, verdicts, skills and calls of a store, or of one campaign, as one file");
  auto where = add_access(*exporting);
  auto file = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  exporting->add_option("-o,--output", *file, "The file to write")->required()->type_name("FILE");
  exporting->add_flag("--json", *as_json, "One JSON document");
  exporting->footer("Example: ke-runtime store export --store ~/.local/share/ke-runtime -o site-a.kex");
  exporting->callback(
      [=, &exit_code] { exit_code = guarded([&] { return export_to(*where, *file, *as_json); }); });

  auto* merging = store.add_subcommand(
      "merge", "Merge exports of other stores into a store, in any order, as often as you like");
  auto into = add_access(*merging);
  auto files = std::make_shared<std::vector<std::string>>();
  auto json_merge = std::make_shared<bool>(false);
  merging->add_option("FILE", *files, "A file written by `store export`")->required();
  merging->add_flag("--json", *json_merge, "One JSON document");
  merging->footer("Example: ke-runtime store merge site-a.kex site-b.kex --store ~/.local/share/ke-runtime");
  merging->callback(
      [=, &exit_code] { exit_code = guarded([&] { return merge(*into, *files, *json_merge); }); });
}

} // namespace ke::cli
