// The program: one App, one command each from interface/cli/. `ke-runtime --config FILE` is `ke-runtime run
// --config FILE`.

#include "interface/cli/command_words.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/remote_read.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/process/guard.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

/// Commands that start sandboxes from this very process. In a campaign the worker starts them, and cleans up
/// when its owner is killed.
bool judges_itself(std::string_view command) {
  return command == "eval" || command == "problem" || command == "profile";
}

void start_log() {
  ke::log::options logging;
  logging.least = std::getenv("KE_LOG_DEBUG") ? ke::log::level::debug : ke::log::level::warn;
  if (auto file = std::getenv("KE_LOG_FILE"))
    logging.json_file = file;
  ke::log::start(logging);
}

void add_commands(CLI::App& app, int& exit_code) {
  ke::cli::add_run(app, exit_code);
  ke::cli::add_worker(app, exit_code);
  ke::cli::add_eval(app, exit_code);
  ke::cli::add_profile(app, exit_code);
  ke::cli::add_problem(app, exit_code);
  ke::cli::add_status(app, exit_code);
  ke::cli::add_best(app, exit_code);
  ke::cli::add_best_known(app, exit_code);
  ke::cli::add_tree(app, exit_code);
  ke::cli::add_report(app, exit_code);
  ke::cli::add_export(app, exit_code);
  ke::cli::add_store(app, exit_code);
  ke::cli::add_replay(app, exit_code);
  ke::cli::add_what_if(app, exit_code);
  ke::cli::add_knowledge(app, exit_code);
  ke::cli::add_steer(app, exit_code);
  ke::cli::add_suite(app, exit_code);
  ke::cli::add_bench(app, exit_code);
  ke::cli::add_keygen(app, exit_code);
  ke::cli::add_doctor(app, exit_code);
}

/// The main job needs no word: `ke-runtime --config FILE ...`.
void put_main_job_first(std::vector<std::string>& words) {
  auto job = [](const std::string& w) { return w == "--config" || w.starts_with("--config="); };
  if (!words.empty() && words[0].starts_with("-") && std::any_of(words.begin(), words.end(), job))
    words.insert(words.begin(), "run");
}

/// Why the first word is no command; empty: it is one, or an option.
std::optional<std::string> wrong_command(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with("-"))
    return std::nullopt;
  constexpr std::string_view later[] = {"mcp", "add", "init", "compare"};
  if (std::find(std::begin(later), std::end(later), words[0]) != std::end(later))
    return "`" + words[0] + "` is not part of this version";
  return ke::cli::unknown_command(app, words);
}

/// Runs the command, which sets `exit_code`.
int run(CLI::App& app, std::vector<std::string> words, const int& exit_code) {
  std::reverse(words.begin(), words.end()); // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? ke::exit_done : ke::exit_usage;
  } catch (const std::exception& e) {
    std::cerr << "ke-runtime: internal error: " << e.what() << '\n';
    return ke::exit_internal;
  }
  return exit_code;
}

} // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (argc > 1 && judges_itself(argv[1]))
    if (auto code = ke::guard()) // before the first thread
      return *code;
  start_log();

  CLI::App app{"ke-runtime searches for fast compute kernels: LLMs write candidates, a trusted judge checks "
               "and times them, the tree remembers.",
               "ke-runtime"};
  app.set_version_flag("--version", std::string{"ke-runtime "} + KE_VERSION);
  app.footer("Examples:\n  ke-runtime --config config/quickstart/softmax.toml\n  ke-runtime best --config "
             "config/quickstart/softmax.toml\n"
             "Each command has --help with an example.");
  app.require_subcommand(1);
  int exit_code = 0;
  add_commands(app, exit_code);

  std::vector<std::string> words(argv + 1, argv + argc);
  put_main_job_first(words);
  if (auto wrong = wrong_command(app, words)) {
    std::cerr << "ke-runtime: " << *wrong << '\n';
    return ke::exit_usage;
  }
  auto remote = ke::cli::read_remotely(words);
  auto code = remote ? *remote : run(app, std::move(words), exit_code);
  ke::log::stop();
  return code;
}
