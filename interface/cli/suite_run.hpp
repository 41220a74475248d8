#pragma once

#include "interface/cli/campaign_start.hpp"

#include <string>
#include <vector>

namespace ke::cli {

/// What `suite run` was asked for.
struct suite_request {
  start_options start; ///< campaign.toml: its goal, models, search and budget hold for each problem
  std::string suite;
  std::vector<std::string> filters;
  std::vector<std::string> baselines; ///< of `[goal]`, each in campaigns of its own; empty: the file's
  bool json = false, fresh = false;
  std::string csv, output, ui; ///< files besides stdout
};

/// A campaign per problem, one after the other, in a store that this process owns. What has ended in the store is
/// read and not run again; a file that is wrong is a cell. Prints the table, or the document. Exit codes: 0 at
/// least one candidate was proven, 1 none; as `run` for the rest. Call it before any thread exists.
int run_suite(const suite_request& o);

/// The name of a problem's campaign: "kb.level1.23_Softmax.compile", of 100 characters at most. Pure.
std::string suite_campaign_name(const std::string& campaign, const std::string& kind,
                                const std::string& problem, const std::string& baseline);

} // namespace ke::cli
