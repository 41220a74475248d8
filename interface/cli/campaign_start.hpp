#pragma once

#include "backends/evaluation/backend.hpp"
#include "config/campaign_file.hpp"
#include "config/problem_file.hpp"
#include "runtime/core/result.hpp"
#include "runtime/toml/config_error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ke::cli {

// What `run`, `submit` and `suite run` look at before anything is started. One thread.

/// Where a campaign's settings come from, and what this machine shall measure with.
struct start_options {
  std::string config, sandbox = "best";
  std::vector<std::string> sets, backend_paths;
};

/// A line each on stderr; returns `code`.
int complain_of(const std::vector<config_error>& errors, int code);
/// The warnings of campaign.toml on stderr.
void warn_of(const campaign_load& loaded);

/// A campaign's problem as `load_problem` or a suite gave it, with the baseline of `[goal]`. What is wrong with
/// either is added to `errors`, at its place.
problem read_problem(const campaign_load& loaded, const std::string& config, problem_load what,
                     std::vector<config_error>& errors);

/// This machine's backends, once all programs, folders and keys of models are there; from then on the log masks
/// the keys. None: it is complained of, and `code` is the exit code.
std::optional<std::vector<backend>> ready_backends(campaign_load& loaded, const start_options& o, int& code);

/// Why the backend can't judge the problem; empty: it can.
std::string unfit_backend(const result<backend>& b, const std::string& name, const problem& what);
/// Why the local worker could not have the sandbox that is asked for. `o.sandbox` must be a level's name.
std::optional<failure> unready_sandbox(const campaign_settings& settings, const start_options& o);
/// Why this machine can't measure for the backend, where no other worker is in sight that could.
std::optional<failure> unready_device(const campaign_settings& settings, const backend& b);

} // namespace ke::cli
