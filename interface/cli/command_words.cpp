#include "interface/cli/command_words.hpp"

#include "runtime/text/nearest_name.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace ke::cli {

std::optional<std::string> unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
  const auto* at = &app;
  std::string path; // of the commands so far, each followed by a space
  for (const auto& word : words) {
    if (at->get_require_subcommand_min() == 0 || word.starts_with("-"))
      return std::nullopt;
    auto known = at->get_subcommands({});
    auto found = std::find_if(known.begin(), known.end(), [&](auto* c) { return c->get_name() == word; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const auto* command : known)
        if (!command->get_group().empty()) // the program's own are no suggestion
          names.push_back(command->get_name());
      return "there is no command " + path + word + did_you_mean(word, names) + "; `ke-runtime " + path +
             "--help` lists them";
    }
    path += word + " ";
    at = *found;
  }
  return std::nullopt;
}

} // namespace ke::cli
