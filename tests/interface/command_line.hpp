#pragma once

#include "interface/cli/commands.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace ke {

/// What a command line printed, and how it ended.
struct command_result {
  int code = 0;
  std::string out;
  std::string err;
};

/// The bytes of a file that a command has written; empty: there is none.
inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Runs a command line of the program in this process.
inline command_result run_command(std::vector<std::string> arguments) {
  CLI::App app{"ke-runtime"};
  int code = 0;
  cli::add_status(app, code);
  cli::add_best(app, code);
  cli::add_best_known(app, code);
  cli::add_tree(app, code);
  cli::add_report(app, code);
  cli::add_export(app, code);
  cli::add_store(app, code);
  cli::add_replay(app, code);
  cli::add_what_if(app, code);
  cli::add_knowledge(app, code);
  cli::add_suite(app, code);
  std::ostringstream out, err;
  auto* old_out = std::cout.rdbuf(out.rdbuf());
  auto* old_err = std::cerr.rdbuf(err.rdbuf());
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& e) {
    code = app.exit(e, out, err);
  }
  std::cout.rdbuf(old_out);
  std::cerr.rdbuf(old_err);
  return {code, out.str(), err.str()};
}

} // namespace ke
