#include "actors/coordinator/remote_reading.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/core/hex.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/process/self_process.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace ke {
namespace {

namespace fs = std::filesystem;
using sorted_json = nlohmann::json;

constexpr std::uint64_t most_output = 64u << 20;

std::string hex_of_file(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return to_hex(std::string{std::istreambuf_iterator<char>{in}, {}});
}

/// Of the folders of one store's owner; the store's place on this machine tells it from others.
std::string reading_prefix(const std::string& store) {
  return "ke-read-" + digest_of(store).substr(0, 12) + "-";
}

} // namespace

void drop_reading_folders(const std::string& store) {
  std::error_code error;
  const auto prefix = reading_prefix(store);
  for (auto at = fs::directory_iterator{fs::temp_directory_path(error), error};
       !error && at != fs::directory_iterator{}; at.increment(error)) {
    struct stat s{};
    if (at->path().filename().string().starts_with(prefix) && ::lstat(at->path().c_str(), &s) == 0 &&
        S_ISDIR(s.st_mode) && s.st_uid == ::geteuid()) {
      std::error_code ignored; // what can't be removed now is the next owner's
      fs::remove_all(at->path(), ignored);
    }
  }
}

status reading_child::prepare(const std::string& store, const reading_request& what) {
  auto refused = [](std::string why) { return failure{failure_kind::invalid, std::move(why), false}; };
  if (what.words.empty() || !is_reading_command(what.words[0]))
    return refused("only commands that read can be asked for over --connect");
  for (const auto& word : what.words) {
    for (const auto* option : {"--store", "--config", "--connect", "--server-key", "--key", "--output", "-o"})
      if (word.starts_with(option))
        return refused(word + ": a client names no file of this machine");
    if (word.find('\0') != std::string::npos || word == "--")
      return refused("a word of the command line holds what none may");
  }
  if (what.campaign.starts_with("-") || what.campaign.find('\0') != std::string::npos)
    return refused("\"" + what.campaign + "\" is no campaign's name");
  writes = what.writes;
  if (writes) {
    auto made = private_folder::make({}, reading_prefix(store));
    if (!made)
      return failure{made.error().kind, "the owner's machine: " + made.error().text};
    folder = std::move(*made);
  }
  spec.argv = {self_path().string()};
  spec.argv.insert(spec.argv.end(), what.words.begin(), what.words.end());
  spec.argv.insert(spec.argv.end(), {"--store", store});
  if (!what.campaign.empty())
    spec.argv.insert(spec.argv.end(), {"--campaign", what.campaign});
  if (writes)
    spec.argv.insert(spec.argv.end(), {"-o", place().string()});
  spec.env = child_environment();
  spec.deadline = std::chrono::minutes{2};
  spec.output_limit = most_output;
  return ok;
}

control_reply reading_child::answer(process_exit& how) const {
  if (how.why.kind != failure_kind::none)
    return refusal(how.why.text, exit_internal);
  if (how.cancelled)
    return refusal("the owner of the store is ending: ask again when it runs", exit_interrupted);
  if (how.timed_out || how.output_cut)
    return refusal("the answer is too large or takes too long: ask for less (--limit)", exit_usage);
  auto files = sorted_json::object();
  std::error_code error;
  if (writes && fs::is_directory(place(), error)) {
    for (const auto& entry : fs::directory_iterator{place(), error})
      files[entry.path().filename().string()] = hex_of_file(entry.path());
  } else if (writes && fs::exists(place(), error)) {
    files[""] = hex_of_file(place());
  }
  // Text about the output names a place that the client never sees.
  for (auto* text : {&how.out, &how.err})
    if (writes)
      for (auto at = text->find(place().string()); at != std::string::npos; at = text->find(place().string()))
        text->replace(at, place().string().size(), "the client");
  return {json_line(sorted_json{{"out", how.out}, {"err", how.err}, {"code", how.code}, {"files", files}}),
          0};
}

} // namespace ke
