#include "actors/remote_reading.hpp"

#include "actors/control_commands.hpp"
#include "actors/exit_codes.hpp"
#include "actors/self_process.hpp"
#include "runtime/core/private_folder.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/run_and_wait.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace ke {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

constexpr std::uint64_t most_output = 64u << 20;

control_reply refused(const std::string& why, int code = exit_usage) {
  return {json{{"error", why}}.dump(-1, ' ', false, json::error_handler_t::replace), code};
}

std::string hex_of_file(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return to_hex({std::istreambuf_iterator<char>{in}, {}});
}

} // namespace

bool is_reading_command(const std::string& word) {
  static constexpr const char* known[] = {"best", "tree", "show", "diff", "report", "export"};
  return std::find(std::begin(known), std::end(known), word) != std::end(known);
}

control_reply read_for_client(const std::string& store, const std::string& campaign,
                              const std::vector<std::string>& words, bool writes) {
  if (words.empty() || !is_reading_command(words[0]))
    return refused("only commands that read can be asked for over --connect");
  for (const auto& word : words)
    for (const auto* option : {"--store", "--config", "--connect", "--server-key", "--key", "--output", "-o"})
      if (word.starts_with(option))
        return refused(word + ": a client names no file of this machine");
  auto folder = private_folder::make({}, "ke-read-");
  if (writes && !folder)
    return refused("the owner's machine: " + folder.error().text, exit_missing);
  process_spec spec;
  spec.argv = {self_path().string()};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.argv.insert(spec.argv.end(), {"--store", store});
  if (!campaign.empty())
    spec.argv.insert(spec.argv.end(), {"--campaign", campaign});
  auto place = (folder ? folder->path() : fs::path{}) / "out";
  if (writes)
    spec.argv.insert(spec.argv.end(), {"-o", place.string()});
  spec.env = child_environment();
  spec.deadline = std::chrono::minutes{2};
  spec.output_limit = most_output;
  process_service processes;
  auto how = run_and_wait(processes, std::move(spec));
  if (how.why.kind != failure_kind::none)
    return refused(how.why.text, exit_internal);
  if (how.timed_out || how.output_cut)
    return refused("the answer is too large or takes too long: ask for less (--limit)", exit_usage);
  auto files = json::object();
  std::error_code error;
  if (fs::is_directory(place, error)) {
    for (const auto& entry : fs::directory_iterator{place, error})
      files[entry.path().filename().string()] = hex_of_file(entry.path());
  } else if (fs::exists(place, error)) {
    files[""] = hex_of_file(place);
  }
  // What the command says of its output names a place that the client never sees.
  for (auto* text : {&how.out, &how.err})
    if (writes)
      for (auto at = text->find(place.string()); at != std::string::npos; at = text->find(place.string()))
        text->replace(at, place.string().size(), "the client");
  return {json{{"out", how.out}, {"err", how.err}, {"code", how.code}, {"files", files}}.dump(
              -1, ' ', false, json::error_handler_t::replace),
          0};
}

} // namespace ke
