#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/compiler_crash.hpp"
#include "backends/evaluation/nvidia_target.hpp"
#include "backends/evaluation/profile_steps.hpp"
#include "backends/peaks/peaks.hpp"
#include "config/campaign_file.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/doctor_models.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/self_process.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

namespace ke::cli {
namespace {

struct check_line {
  std::string part, name;
  std::string state; ///< ok | degraded | missing | broken
  std::string text;
};

/// What other programs do on the device, as the end of a sentence; empty: nothing.
std::string strangers_of(const device_info& device) {
  auto at = device.facts.find(device_facts::strangers);
  return at == device.facts.end()
             ? std::string{}
             : "; other programs compute on it: " + at->second + "; measure where they don't, or end them";
}

/// `first`: of the backend.
void device_of_this_machine(std::vector<check_line>& lines, const backend& b, const device_info& device,
                            bool first) {
  auto fact = [&](const char* key) {
    return device.facts.contains(key) ? device.facts.at(key) : std::string{"?"};
  };
  auto strangers = strangers_of(device);
  if (first)
    lines.push_back({"backend", b.name, "ok", fact(device_facts::compiler) + " on " + device.name});
  if (!executes_on(b, device))
    lines.push_back(
        {"device", device.name, "degraded",
         fact(device_facts::execution) + ": no such device is here, candidates of " + b.name +
             " get static figures only" +
             (device.facts.contains(device_facts::without) ? "; " + fact(device_facts::without) : "")});
  else if (device.facts.contains(device_facts::uuid))
    lines.push_back({"device", device.name, strangers.empty() ? "ok" : "degraded",
                     fact(device_facts::model) + ", " + fact(device_facts::isa) + ", " +
                         fact(device_facts::cores) + " multiprocessors, " + fact(device_facts::memory) +
                         ", L2 " + fact(device_facts::l2) + ", " + fact(device_facts::driver) + ", " +
                         fact(device_facts::uuid) + strangers});
  else
    lines.push_back({"device", device.name, "ok",
                     fact(device_facts::cores) + " cores, isa " + fact(device_facts::isa) + ", L1d " +
                         fact(device_facts::l1d) + " B, L2 " + fact(device_facts::l2) + " B, L3 " +
                         fact(device_facts::l3) + " B"});
}

/// How good readings on an NVIDIA device are: of orders that were forged for it, how many were found.
check_line bands_line(const std::string& name, const device_bands& bands) {
  if (!bands.trouble.empty())
    return {"bands", name, "degraded", "not measured now: " + bands.trouble};
  auto us = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g us", value);
    return std::string{text};
  };
  constexpr double surely_us =
      20; // from here on 99 of 100 must be found; of honest ones 1.7 of 100 leave a band
  bool good = true;
  std::string suspected, found;
  for (const auto& f : bands.forged) {
    auto share = std::to_string(f.found) + " of " + std::to_string(f.orders);
    if (f.left_us > 0)
      found += (found.empty() ? "" : ", ") + share + " that left " + us(f.left_us);
    else
      suspected = share;
    good = good && (f.left_us < surely_us || 100 * f.found >= 99 * f.orders) &&
           (f.left_us > 0 || 100 * f.found <= 2 * f.orders);
  }
  return {"bands", name, good ? "ok" : "degraded",
          "an empty kernel of the judge reads " + us(bands.fence_us) +
              " after a turn of the driver, within " + us(bands.fence_band_us) + ", and " +
              us(bands.still_us) + " on a device that stands still; one of the driver " +
              us(bands.primer_us) +
              ". Of orders that were forged to try it, these were found by one reading: " + found +
              " behind their answer; of honest ones " + suspected + " were suspected" +
              (good ? "" : "; does anything else use the device?")};
}

void backends_of_this_machine(std::vector<check_line>& lines, bool& any) {
  process_service processes;
  auto backends = load_backends(built_in_backends(), {});
  if (!backends) {
    lines.push_back({"backend", "all", "broken", backends.error().text});
    return;
  }
  std::set<std::string> tried; // by uuid: several backends share a device
  for (const auto& b : *backends) {
    auto devices = probe_targets(b, processes);
    if (!devices) {
      lines.push_back({"backend", b.name, "missing", devices.error().text});
      continue;
    }
    any = true;
    if (!b.second_build.empty()) {
      auto lacks = second_compiler_lacks(b);
      lines.push_back({"compiler", b.second_build.front(), lacks.empty() ? "ok" : "missing",
                       lacks.empty() ? "second of " + b.name + ": builds what " + compiler_name(b.build) +
                                           " itself crashes on"
                                     : lacks});
    }
    for (const auto& f : b.files)
      if (f.optional && (!is_for_devices(f, b) || executes_on(b, devices->front())))
        lines.push_back({"file", f.name, has_file(f) ? "ok" : "missing",
                         "for " + b.name + (has_file(f) ? "" : "; " + f.hint)});
    for (std::size_t i = 0; i < devices->size(); ++i) {
      const auto& d = (*devices)[i];
      device_of_this_machine(lines, b, d, i == 0);
      if (auto uuid = d.facts.find(device_facts::uuid);
          uuid != d.facts.end() && executes_on(b, d) && tried.insert(uuid->second).second)
        lines.push_back(bands_line(d.name, nvidia_bands(processes, uuid->second)));
    }
  }
}

/// Measured anew each time; what is kept for later is the better of this and what was seen before.
void peaks_of_this_machine(std::vector<check_line>& lines) {
  auto cpu = cpu_facts();
  auto peaks = peaks_of_machine(user_cache_folder(), cpu, true);
  if (peaks.empty())
    lines.push_back(
        {"peak", "all", "degraded",
         "not measured on this architecture: no roofline, no floor below which a time is refused"});
  auto noise = peaks.contains("noise") ? peaks.at("noise") : 0.0;
  for (const auto& [what, figures] : describe_peaks(peaks))
    lines.push_back(
        {"peak", what, noise > 0.2 ? "degraded" : "ok",
         figures + (noise > 0.2 ? "; the machine was busy: run doctor again when it is quiet" : "")});
}

void tool(std::vector<check_line>& lines, process_port& processes, const std::string& name,
          const std::string& use, const std::string& package) {
  process_spec spec;
  spec.argv = {name, "--version"};
  spec.env = child_environment();
  spec.deadline = std::chrono::seconds{10};
  auto e = run_and_wait(processes, std::move(spec));
  if (e.why.kind == failure_kind::missing)
    lines.push_back({"tool", name, "missing", use + "; get it with apt-get install " + package});
  else if (e.code != 0)
    lines.push_back({"tool", name, "broken",
                     use + "; `" + name + " --version` ended with code " + std::to_string(e.code)});
  else
    lines.push_back({"tool", name, "ok", e.out.substr(0, e.out.find('\n'))});
}

/// The models that a campaign would ask, and what is wrong in its file.
void models_of(const std::string& config, std::vector<check_line>& lines) {
  auto loaded = load_campaign(config);
  for (const auto& e : loaded.errors)
    lines.push_back({"config", config, "broken", to_line(e)});
  for (const auto& e : loaded.missing)
    lines.push_back({"model", e.key, "missing", to_line(e)});
  for (const auto& m : loaded.settings.models)
    if (loaded.errors.empty()) {
      auto health = check_model(m);
      lines.push_back({"model", m.name, health.state, health.text});
    }
  if (const auto& e = loaded.settings.embeddings; loaded.errors.empty() && !e.base_url.empty()) {
    model_settings m;
    m.provider = provider_kind::openai;
    m.model = e.model;
    m.base_url = e.base_url;
    m.api_key_env = e.api_key_env;
    auto health = check_model(m);
    if (health.state != "ok") // no campaign needs it
      health = {"degraded", health.text + "; without it documents are found by words alone"};
    lines.push_back({"model", "embeddings", health.state, health.text});
  }
}

void print_lines(const std::vector<check_line>& lines, bool as_json) {
  if (as_json) {
    auto all = nlohmann::ordered_json::array();
    for (const auto& l : lines)
      all.push_back({{"part", l.part}, {"name", l.name}, {"state", l.state}, {"text", l.text}});
    std::cout << json_line(all) << '\n';
  } else {
    for (const auto& l : lines)
      std::printf("%-9s %-8s %-12s %s\n", l.state.c_str(), l.part.c_str(), l.name.substr(0, 40).c_str(),
                  l.text.c_str());
  }
}

int diagnose(const std::string& config, bool as_json) {
  std::vector<check_line> lines;
  bool any = false;
  backends_of_this_machine(lines, any);
  peaks_of_this_machine(lines);
  for (auto helper :
       {"ke-judge", "ke-driver", "ke-profiler", "ke-runner", "ke-device-runner", "ke-device-compiler"}) {
    auto path = self_path().parent_path() / helper;
    std::error_code error;
    auto there = std::filesystem::exists(path, error);
    any = any && there;
    lines.push_back({"program", helper, there ? "ok" : "missing",
                     there ? "beside ke-runtime"
                           : "expected at " + path.string() + "; build it with the release preset"});
  }
  for (const auto& part : sandbox_probe())
    lines.push_back({"sandbox", part.name, std::string{to_text(part.state)}, part.text});
  process_service processes;
  tool(lines, processes, "objdump", "instruction mix and hot loop of a kernel", "binutils");
  tool(lines, processes, "llvm-mca-19", "what a hot loop waits for, by the CPU's model", "llvm-19");
  tool(lines, processes, "valgrind", "exact counts of instructions, cache misses and branches", "valgrind");
  tool(lines, processes, "clang++-19", "time stamps at a kernel's loops", "clang-19");
  tool(lines, processes, "perf", "hardware counters", "linux-perf");
  if (!config.empty())
    models_of(config, lines);
  print_lines(lines, as_json);
  return any ? exit_done : exit_missing;
}

} // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("doctor", "What this machine can do; each line is ok, degraded, missing "
                                               "(says how to get it) or broken (says why)");
  auto config = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  command->add_option("--config", *config, "Check this campaign's models, too");
  command->add_flag("--json", *as_json, "One JSON document");
  command->footer("Example:\n  ke-runtime doctor\nExit code 3 if no backend can work here, or a program "
                  "beside ke-runtime is missing.");
  command->callback([=, &exit_code] { exit_code = guarded([&] { return diagnose(*config, *as_json); }); });
}

} // namespace ke::cli
