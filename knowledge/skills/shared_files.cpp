#include "knowledge/skills/shared_files.hpp"

#include "knowledge/skills/skill_record.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace ke {
namespace {

namespace fs = std::filesystem;

fs::path incoming(const std::string& store_dir) {
  return fs::path{store_dir} / "incoming";
}

} // namespace

result<std::string> hand_over(const std::string& store_dir, const std::string& file) {
  auto name = digest_of(file + "/" + std::to_string(::getpid())); // two merges at a time don't meet
  std::error_code error;
  fs::create_directory(incoming(store_dir), error);
  if (!error)
    fs::permissions(incoming(store_dir), fs::perms::owner_all, error);
  if (!error)
    fs::copy_file(file, incoming(store_dir) / name, fs::copy_options::overwrite_existing, error);
  if (error) {
    take_back(store_dir, name);
    return failure{failure_kind::invalid,
                   file + " can't be handed to the owner of the store " + store_dir + ": " + error.message()};
  }
  return name;
}

result<std::string> handed_over(const std::string& store_dir, const std::string& name) {
  if (name.size() != 64 || name.find_first_not_of("0123456789abcdef") != std::string::npos)
    return failure{failure_kind::invalid,
                   "use `ke-runtime store merge FILE` on the store's machine: it hands files over by itself"};
  return (incoming(store_dir) / name).string();
}

void take_back(const std::string& store_dir, const std::string& name) {
  std::error_code ignored;
  fs::remove(incoming(store_dir) / name, ignored);
  fs::remove(incoming(store_dir), ignored); // if it is empty
}

void drop_handed_over(const std::string& store_dir) {
  std::error_code ignored;
  fs::remove_all(incoming(store_dir), ignored);
}

std::string join_skills(const std::string& a, const std::string& b) {
  auto x = unpack<skill>(a), y = unpack<skill>(b);
  if (!x || !y)
    return x ? a : y ? b : std::max(a, b);
  return pack(merged(*x, *y));
}

std::string merge_json(const merge_report& r) {
  using json = nlohmann::ordered_json;
  auto added = json::object();
  for (const auto& [kind, count] : r.added)
    added[kind] = count;
  const auto& o = r.from.from;
  return json_line(json{{"from",
                         {{"store", o.store},
                          {"campaign", o.campaign},
                          {"exported_unix_ms", o.exported_unix_ms},
                          {"program", o.program}}},
                        {"records", r.records},
                        {"added", added}});
}

} // namespace ke
