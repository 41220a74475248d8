#include "runtime/fleet/held_results.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/store/durable_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace ke {
namespace {

namespace fs = std::filesystem;
/// Files that are taken up; older ones go: their coordinator never came back.
constexpr std::size_t most_kept = 1024;

held_results::held entry_of(const job_result& r, std::string bytes) {
  return {{r.id, r.attempt, r.epoch, wire::lease_stage::measuring, r.warrant}, r.store, std::move(bytes)};
}

} // namespace

held_results::held_results(std::string folder) : folder_{std::move(folder)} {
  if (!folder_.empty())
    load();
}

void held_results::put(job_result r) {
  auto id = r.id;
  auto store = r.store;
  wire::lease_ref ref{r.id, r.attempt, r.epoch, wire::lease_stage::measuring, r.warrant};
  auto& h = held_[id] = {std::move(ref), std::move(store), wire::encode_result(std::move(r))};
  if (folder_.empty())
    return;
  if (auto error = replace_file(file_of(id), h.bytes))
    log::warn("worker", "a result can't be kept on disk", {{"why", std::strerror(error)}});
}

void held_results::drop(std::uint64_t job) {
  if (!held_.erase(job) || folder_.empty())
    return;
  std::error_code ignored;
  fs::remove(file_of(job), ignored);
}

std::optional<job_result> held_results::result_of(std::uint64_t job) const {
  auto at = held_.find(job);
  if (at == held_.end())
    return std::nullopt;
  auto r = unpack<job_result>(at->second.bytes);
  return r ? std::optional{std::move(*r)} : std::nullopt;
}

bool held_results::any_of(const std::string& store) const {
  return std::any_of(held_.begin(), held_.end(), [&](const auto& h) { return h.second.store == store; });
}

std::string held_results::file_of(std::uint64_t job) const {
  return (fs::path{folder_} / (std::to_string(job) + ".result")).string();
}

void held_results::load() {
  std::error_code error;
  fs::create_directories(folder_, error);
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& file : fs::directory_iterator{folder_, error})
    if (file.path().extension() == ".result")
      files.emplace_back(file.last_write_time(error), file.path());
  std::sort(files.rbegin(), files.rend()); // the newest first
  for (const auto& [when, path] : files) {
    std::ostringstream bytes;
    bytes << std::ifstream{path, std::ios::binary}.rdbuf();
    auto r = unpack<job_result>(bytes.str());
    if (r && held_.size() < most_kept)
      held_[r->id] = entry_of(*r, bytes.str());
    else
      fs::remove(path, error);
  }
}

} // namespace ke
