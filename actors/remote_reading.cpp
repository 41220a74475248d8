#include "actors/remote_reading.hpp"

#include "actors/control_commands.hpp"
#include "actors/exit_codes.hpp"
#include "actors/self_process.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/run_and_wait.hpp"

#include <nlohmann/json.hpp>

#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace ke {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

constexpr std::uint64_t most_output = 64u << 20;

class private_folder {
public:
  private_folder() {
    std::error_code error;
    auto pattern = (fs::temp_directory_path(error) / "ke-read-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()))
      path_ = pattern;
  }
  ~private_folder() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove_all(path_, ignored);
  }
  private_folder(const private_folder&) = delete;
  private_folder& operator=(const private_folder&) = delete;
  const fs::path& path() const { return path_; } ///< empty: it could not be made

private:
  fs::path path_;
};

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
  private_folder folder;
  if (writes && folder.path().empty())
    return refused("the owner has no temporary folder", exit_missing);
  process_spec spec;
  spec.argv = {self_path().string()};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.argv.insert(spec.argv.end(), {"--store", store});
  if (!campaign.empty())
    spec.argv.insert(spec.argv.end(), {"--campaign", campaign});
  auto place = folder.path() / "out";
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
