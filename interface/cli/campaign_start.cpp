#include "interface/cli/campaign_start.hpp"

#include "config/problem_file.hpp"
#include "interface/cli/doctor_models.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/toml/schema.hpp"

#include <filesystem>
#include <iostream>
#include <utility>

namespace ke::cli {

int complain_of(const std::vector<config_error>& errors, int code) {
  for (const auto& e : errors)
    std::cerr << to_line(e) << '\n';
  std::cerr.flush();
  return code;
}

namespace {

/// Programs and folders of models that will be asked and are not there, each at its key.
void miss_providers(campaign_load& loaded, const std::string& config) {
  const auto& agents = loaded.settings.agents;
  for (std::size_t i = 0; i < loaded.settings.models.size(); ++i) {
    const auto& m = loaded.settings.models[i];
    if (m.weight <= 0 && m.name != agents.memory && m.name != agents.research)
      continue;
    auto health = check_local_model(m);
    auto program = traits_of(m.provider).place == provider_place::program;
    if (health.state != "ok")
      add_error(loaded.missing, loaded.places, config,
                "model." + std::to_string(i) + (program ? ".command" : ".dir"), health.text);
  }
}

/// The baseline's file, which lies on this machine; what no backend of the problem's language has.
void read_baseline(const campaign_load& loaded, const std::string& config, problem& what,
                   std::vector<config_error>& errors) {
  const auto& goal = loaded.settings.goal;
  auto wrong = [&](const std::string& text) {
    add_error(errors, loaded.places, config, "goal.baseline", text);
  };
  if (auto why = baseline_lacks(goal, what); !why.empty())
    return wrong(why);
  if (goal.baseline != baseline_kind::file)
    return;
  auto source = read_named_file(goal.baseline_file, 1u << 20);
  if (!source)
    return wrong(source.error().text);
  if (source->empty())
    return wrong(goal.baseline_file + " is empty");
  auto name = std::filesystem::path{goal.baseline_file}.filename().string();
  set_baseline(what, {std::string{to_text(goal.baseline)} + name, *std::move(source)});
}

} // namespace

problem read_problem(const campaign_load& loaded, const std::string& config, problem_load what,
                     std::vector<config_error>& errors) {
  for (auto& e : what.errors)
    if (e.file.empty()) // it can't be read: what is wrong stands in campaign.toml
      add_error(errors, loaded.places, config, "problem.path", e.text);
    else
      errors.push_back(std::move(e));
  if (errors.empty())
    read_baseline(loaded, config, what.problem, errors);
  return std::move(what.problem);
}

std::string unfit_backend(const result<backend>& b, const std::string& name, const problem& what) {
  if (!b)
    return b.error().text;
  if (what.reference_language == b->reference_language)
    return {};
  return "the reference of problem " + what.name + " is in " + what.reference_language +
         ", which the backend " + name + " cannot run: it needs one in " + b->reference_language;
}

void warn_of(const campaign_load& loaded) {
  for (const auto& w : loaded.warnings)
    std::cerr << "warning: " << to_line(w) << '\n';
}

std::optional<std::vector<backend>> ready_backends(campaign_load& loaded, const start_options& o, int& code) {
  miss_providers(loaded, o.config);
  if (!loaded.missing.empty()) {
    code = complain_of(loaded.missing, exit_missing);
    return std::nullopt;
  }
  for (const auto& m : loaded.settings.models)
    log::masked_key(m.api_key_env);
  std::vector<std::filesystem::path> extra(o.backend_paths.begin(), o.backend_paths.end());
  auto backends = load_backends(built_in_backends(), extra);
  if (backends)
    return std::move(*backends);
  code = complain(backends.error());
  return std::nullopt;
}

std::optional<failure> unready_sandbox(const campaign_settings& settings, const start_options& o) {
  if (!settings.cluster.local_worker)
    return std::nullopt;
  auto ready = sandbox_ready(*parse_name<sandbox_level>(o.sandbox));
  return ready ? std::nullopt : std::optional{ready.error()};
}

std::optional<failure> unready_device(const campaign_settings& settings, const backend& b) {
  if (!settings.cluster.local_worker || !settings.cluster.listen.empty())
    return std::nullopt;
  process_service processes;
  auto device = probe_target(b, processes);
  return device ? std::nullopt : std::optional{device.error()};
}

} // namespace ke::cli
