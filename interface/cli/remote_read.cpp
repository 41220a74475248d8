#include "interface/cli/remote_read.hpp"

#include "interface/cli/access.hpp"
#include "interface/cli/manifest.hpp"
#include "interface/cli/output_file.hpp"
#include "runtime/core/hex.hpp"
#include "runtime/net/client_command.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace ke::cli {
namespace {

namespace fs = std::filesystem;
using sorted_json = nlohmann::json;

bool is(const std::string& word, const std::string& option) {
  return word == option || word.starts_with(option + "=");
}

status write_all(const std::string& to, const sorted_json& files) {
  if (files.size() == 1 && files.contains(""))
    return write_output(to, from_hex(files[""].get<std::string>()).value_or(""));
  if (auto sound = verify_folder(to, false); !sound && sound.error().kind != failure_kind::not_found)
    return sound;
  auto ours = verify_folder(to, false);
  folder_files folder;
  for (const auto& [name, hex] : files.items()) {
    if (name.find('/') != std::string::npos || name == "." || name == "..")
      return failure{failure_kind::invalid, "the owner sent a file with the odd name " + name};
    if (name == manifest_name)
      continue;
    auto content = from_hex(hex.get<std::string>()).value_or("");
    if (std::ifstream in{fs::path{to} / name, std::ios::binary};
        !ours && in && std::string{std::istreambuf_iterator<char>{in}, {}} != content)
      return failure{failure_kind::invalid, (fs::path{to} / name).string() +
                                                " exists already and is not part of an export: give another "
                                                "folder with -o"};
    folder[name] = std::move(content);
  }
  return write_folder(to, folder);
}

int read_through(control_client& owner, const std::vector<std::string>& words, const std::string& campaign,
                 const std::string& output) {
  sorted_json command{
      {"command", "read"}, {"words", words}, {"campaign", campaign}, {"writes", !output.empty()}};
  auto answer = owner.ask(json_line(command), std::chrono::minutes{3});
  if (!answer)
    return complain(answer.error());
  auto said = sorted_json::parse(answer->json, nullptr, false);
  if (!said.is_object() || answer->exit_code != 0) {
    std::cerr << "ke-runtime: "
              << (said.is_object() ? said.value("error", "the owner refused")
                                   : "the owner's answer can't be read")
              << '\n';
    return answer->exit_code ? answer->exit_code : exit_internal;
  }
  auto code = said.value("code", static_cast<int>(exit_internal));
  if (!output.empty() && said["files"].is_object() && !said["files"].empty())
    if (auto done = write_all(output, said["files"]); !done)
      return complain(done.error());
  std::cout << said.value("out", "") << std::flush;
  std::cerr << said.value("err", "") << std::flush;
  return code;
}

} // namespace

std::optional<int> read_remotely(const std::vector<std::string>& words) {
  if (words.empty() || !is_reading_command(words[0]) ||
      std::none_of(words.begin(), words.end(), [](const std::string& w) { return is(w, "--connect"); }) ||
      std::any_of(words.begin(), words.end(),
                  [](const std::string& w) { return w == "--help" || w == "-h"; }))
    return std::nullopt;
  CLI::App app;
  app.allow_extras();
  auto where = add_access(app);
  std::string output;
  app.add_option("-o,--output", output);
  std::vector<std::string> rest{words.rbegin(), words.rend() - 1};
  try {
    app.parse(rest);
  } catch (const CLI::ParseError& e) {
    app.exit(e);
    return exit_usage;
  }
  std::vector<std::string> command{words[0]};
  auto others = app.remaining();
  command.insert(command.end(), others.begin(), others.end());
  return guarded([&] {
    auto a = open_access(*where);
    if (!a)
      return complain(a.error());
    return read_through(*a->owner, command, where->campaign, output);
  });
}

} // namespace ke::cli
