#include "actors/coordinator/store_owner.hpp"
#include "config/campaign_file.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/best.hpp"
#include "interface/cli/campaign_start.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/display.hpp"
#include "interface/cli/dry_admission.hpp"
#include "interface/cli/owning_session.hpp"
#include "interface/cli/plan.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/hex.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/net/client_command.hpp"
#include "runtime/net/control_socket.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/signal_watch.hpp"
#include "runtime/records/best_known_baseline.hpp"
#include "runtime/store/store_reader.hpp"
#include "runtime/store/store_service.hpp"
#include "runtime/text/json_line.hpp"
#include "runtime/toml/schema.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <iostream>
#include <memory>

namespace ke::cli {
namespace {

struct run_options {
  start_options start;
  std::string ui, ui_listen, trace;
  access_options owner; ///< submit: an owner on another machine
  bool fresh = false, dry_run = false;
};

/// Config, problem and backends, all checked: nothing is started before all is right.
struct prepared {
  campaign_settings settings;
  ke::problem problem;
  std::vector<backend> backends;
  std::string origins; ///< of the settings, for a plan
};

/// The exit code if a target can't be served; it is complained of.
std::optional<int> unfit_target(const run_options& o, const campaign_load& loaded, const prepared& p) {
  if (auto why = unready_sandbox(p.settings, o.start))
    return complain(*why);
  for (std::size_t i = 0; i < p.settings.targets.size(); ++i) {
    const auto& name = p.settings.targets[i].backend;
    auto b = find_backend(p.backends, name);
    if (auto why = unfit_backend(b, name, p.problem); !why.empty()) {
      std::vector<config_error> wrong;
      add_error(wrong, loaded.places, o.start.config, "target." + std::to_string(i) + ".backend",
                std::move(why));
      return complain_of(wrong, exit_usage);
    }
    if (auto why = unready_device(p.settings, *b))
      return complain(*why);
  }
  return std::nullopt;
}

std::optional<prepared> prepare(const run_options& o, int& code) {
  prepared p;
  auto loaded = load_campaign(o.start.config, o.start.sets);
  auto errors = loaded.errors;
  if (const auto& path = loaded.settings.problem_path; !path.empty())
    p.problem = read_problem(loaded, o.start.config, load_problem(path), errors);
  if (!errors.empty()) {
    code = complain_of(errors, exit_usage);
    return std::nullopt;
  }
  warn_of(loaded);
  auto shown = loaded.settings;
  p.origins = origins_text(loaded.places, campaign_schema(shown), o.start.config);
  if (!o.owner.connect.empty()) { // what this machine has or lacks is not what counts
    p.settings = std::move(loaded.settings);
    return p;
  }
  auto backends = ready_backends(loaded, o.start, code);
  if (!backends)
    return std::nullopt;
  p.settings = loaded.settings;
  p.backends = std::move(*backends);
  if (auto wrong = unfit_target(o, loaded, p)) {
    code = *wrong;
    return std::nullopt;
  }
  return p;
}

/// For a plan: what the store would be asked for when the campaign starts.
status known_baseline(prepared& p) {
  if (p.settings.goal.baseline != baseline_kind::best_known) {
    if (p.settings.goal.baseline == baseline_kind::eager)
      set_baseline(p.problem, {std::string{to_text(baseline_kind::eager)}, {}});
    if (p.settings.goal.baseline == baseline_kind::compile)
      set_baseline(p.problem, compiled_reference(p.problem));
    return ok;
  }
  auto store = store_reader::open(p.settings.store);
  return store ? complete_baseline(*store, p.settings, std::nullopt, p.problem) : status{store.error()};
}

ui_kind ui_of(const run_options& o) {
  if (auto kind = parse_name<ui_kind>(o.ui))
    return *kind;
  return isatty(1) ? ui_kind::tui : ui_kind::plain;
}

int code_of(const campaign_outcome& out) {
  if (out.why.kind != failure_kind::none)
    complain(out.why);
  if (out.state == "failed")
    return out.why.kind == failure_kind::none ? static_cast<int>(exit_internal) : exit_code_of(out.why);
  if (out.state == "paused")
    return out.why.kind == failure_kind::none ? exit_interrupted : exit_paused;
  return out.proven ? exit_done : exit_unproven;
}

std::string submission_of(const run_options& o, const prepared& p) {
  return json_line(nlohmann::json{{"command", "submit"},
                                  {"config", settings_text(p.settings)},
                                  {"problem", to_hex(pack(p.problem))},
                                  {"fresh", o.fresh}});
}

/// Of a campaign's event "stop", as its owner tells it.
int code_of_stop(const nlohmann::json& e) {
  if (auto kind = parse_name<failure_kind>(e.value("failure", "")); kind && e.value("state", "") == "failed")
    return complain({*kind, e.value("text", ""), false});
  auto proven = e.value("proven", "false") == "true";
  return e.value("state", "") == "finished" ? (proven ? exit_done : exit_unproven) : exit_interrupted;
}

/// The store is owned: hands the campaign to its owner and shows what it does.
int attach(const run_options& o, const prepared& p, const failure& held) {
  auto lock = read_owner_record(p.settings.store);
  if (!lock || lock->socket.empty())
    return complain(held);
  auto client = control_client::connect({"ipc://" + lock->socket, "", std::nullopt});
  if (!client)
    return complain({failure_kind::held,
                     held.text + "; it does not answer on its socket (" + client.error().text + ")", false});
  using json = nlohmann::json;
  if (auto watching = client->ask(R"({"command":"watch"})"); !watching)
    return complain(watching.error());
  auto sent = client->ask(submission_of(o, p));
  if (!sent)
    return complain(sent.error());
  if (sent->exit_code != 0)
    return complain({failure_kind::invalid, error_in(sent->json), false});
  display shown{ui_of(o)};
  shown.note("the store is owned by process " + std::to_string(lock->pid) + "; the campaign runs there");
  std::atomic<bool> leave = false;
  signal_watch signals{[&](int) { leave = true; }};
  while (!leave) {
    auto line = client->next_event(std::chrono::milliseconds{500});
    if (!line && line.error().kind == failure_kind::timeout)
      continue;
    if (!line)
      return complain({failure_kind::internal, "the owner of the store left: " + line.error().text, false});
    auto e = json::parse(*line, nullptr, false);
    if (e.is_object() && e.value("campaign", e.value("name", "")) != p.settings.name)
      continue;
    shown.event(*line);
    if (e.is_object() && e.value("event", "") == "stop")
      return code_of_stop(e);
  }
  shown.note("detached; the campaign runs on");
  return exit_interrupted;
}

/// The last words of a session: where the campaign stands, its best kernel, and how to go on.
void summarize(owning_session& session, const owning_session::ended& e, display& shown) {
  auto reader = session.committed();
  auto row = reader ? reader->row<campaign_row>(table::campaigns, key_of(e.id))
                    : result<campaign_row>{reader.error()};
  if (!row)
    return;
  if (auto best = best_text(*reader, *row))
    shown.note(best->substr(0, best->find_last_not_of('\n') + 1));
  shown.note(e.out.state == "finished"
                 ? "finished: " + e.out.reason + "; look at it with `ke-runtime report --store " +
                       reader->dir() + " -o report.html`"
                 : "saved; the same command goes on from here");
}

/// Owns the store, and runs the campaign in this process until its session ends.
int own(const run_options& o, const prepared& p) {
  display shown{ui_of(o)};
  owning_session session{shown};
  auto started = session.start(p.settings, o.start);
  if (!started && started.error().kind == failure_kind::held)
    return attach(o, p, started.error());
  if (!started)
    return complain(started.error());
  auto e = session.run(p.settings, p.problem, o.fresh);
  if (!e)
    return complain(e.error());
  if (e->out.state != "failed" && !session.waits())
    summarize(session, *e, shown);
  session.close();
  trace::stop();
  return session.gave_up(e->out) ? static_cast<int>(exit_paused) : code_of(e->out);
}

std::optional<failure> wrong_option(const run_options& o) {
  auto wrong = [](std::string text) { return failure{failure_kind::invalid, std::move(text), false}; };
  if (!o.ui_listen.empty())
    return wrong("--ui-listen: the live page is not part of this version; look with `ke-runtime status "
                 "--watch`, --ui or `ke-runtime report`");
  if (!o.ui.empty() && !parse_name<ui_kind>(o.ui))
    return wrong("--ui: expected tui, plain, json or none, not " + o.ui);
  if (!parse_name<sandbox_level>(o.start.sandbox))
    return wrong("--sandbox: expected full, best or none, not " + o.start.sandbox);
  return std::nullopt;
}

/// What --dry-run does instead.
int plan_only(const run_options& o, prepared& p) {
  if (auto given = known_baseline(p); !given)
    return complain(given.error());
  auto planned = print_plan(p.settings, p.origins, p.problem, p.backends, o.start.backend_paths);
  return planned != exit_done
             ? planned
             : try_admission(p.settings, p.problem, p.backends, o.start.sandbox, o.start.backend_paths);
}

int run(const run_options& o) {
  signal_watch::block();
  if (auto wrong = wrong_option(o))
    return complain(*wrong);
  int code = exit_done;
  auto p = prepare(o, code);
  if (!p)
    return code;
  if (o.dry_run)
    return guarded([&] { return plan_only(o, *p); });
  if (!o.trace.empty())
    trace::start(o.trace);
  return own(o, *p);
}

int serve(const std::string& config, const std::string& sandbox) {
  signal_watch::block();
  auto loaded = load_campaign(config, {}, campaign_use::serve);
  if (!loaded.errors.empty())
    return complain_of(loaded.errors, exit_usage);
  coordinator_options c;
  c.store = loaded.settings.store;
  c.cluster = loaded.settings.cluster;
  c.sandbox = sandbox;
  auto owner = store_owner::start(std::move(c));
  if (!owner)
    return complain(owner.error());
  std::cout << "serving store " << (*owner)->store().dir() << std::endl;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  int signal = 0;
  sigwait(&set, &signal);
  (*owner)->interrupt_all();
  return exit_interrupted;
}

/// The owner to hand a campaign to: that of the campaign's store, or the one named by --connect.
result<control_client> owner_for(const run_options& o, const prepared& p) {
  if (!o.owner.connect.empty()) {
    auto a = open_access(o.owner);
    if (!a)
      return a.error();
    return std::move(*a->owner);
  }
  auto record = read_owner_record(p.settings.store);
  if (!record || record->closed || record->socket.empty())
    return failure{failure_kind::not_found,
                   "nobody owns the store " + p.settings.store +
                       "; start `ke-runtime serve --config FILE`, or run the campaign",
                   false};
  return control_client::connect({"ipc://" + record->socket, "", std::nullopt});
}

int submit(const run_options& o) {
  int code = exit_done;
  auto p = prepare(o, code);
  if (!p)
    return code;
  auto client = owner_for(o, *p);
  if (!client)
    return complain(client.error());
  auto sent = client->ask(submission_of(o, *p));
  if (!sent)
    return complain(sent.error());
  if (sent->exit_code != 0) {
    std::cerr << "ke-runtime: " << error_in(sent->json) << '\n';
    return sent->exit_code;
  }
  std::cout << sent->json << '\n';
  return exit_done;
}

} // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<run_options>();
  auto* command = app.add_subcommand("run", "Start the campaign, or resume it if its store already holds it");
  auto common = [o](CLI::App* c) {
    c->add_option("--config", o->start.config, "campaign.toml")->required();
    c->add_option("--set", o->start.sets,
                  "KEY=VALUE replaces a key of the file, e.g. budget.usd=5; may be repeated");
    c->add_flag("--fresh", o->fresh, "Start a new campaign beside the one with this name");
    c->add_option("--backend-path", o->start.backend_paths, "Folder with more backends");
  };
  common(command);
  command->add_flag(
      "--dry-run", o->dry_run,
      "Check everything, the problem included; print the plan, the first prompt and the worst-case cost");
  command->add_option("--ui", o->ui, "tui | plain | json | none (default: tui on a terminal, else plain)");
  command->add_option("--ui-listen", o->ui_listen)->group(""); // refused by name, not as a typo
  command->add_option("--sandbox", o->start.sandbox, "full | best | none")->capture_default_str();
  command->add_option("--trace", o->trace, "Write a Chrome trace to this file; Perfetto opens it");
  command->footer("Example:\n  ke-runtime --config campaign.toml --set budget.candidates=50\n"
                  "Ctrl-C once drains and saves, twice stops now; the next start resumes.");
  command->callback([o, &exit_code] { exit_code = run(*o); });

  auto* service = app.add_subcommand("serve", "Own a store and wait for campaigns from `submit`");
  auto config = std::make_shared<std::string>();
  auto sandbox = std::make_shared<std::string>("best");
  service->add_option("--config", *config, "campaign.toml: only `store` and [cluster] are read")->required();
  service->add_option("--sandbox", *sandbox, "full | best | none")->capture_default_str();
  service->footer("Example:\n  ke-runtime serve --config cluster.toml");
  service->callback([config, sandbox, &exit_code] { exit_code = serve(*config, *sandbox); });

  auto* hand_in = app.add_subcommand("submit", "Hand a campaign to the process that owns its store");
  common(hand_in);
  hand_in->add_option("--connect", o->owner.connect, "A coordinator on another machine, e.g. tcp://host:7717")
      ->type_name("ENDPOINT");
  hand_in->add_option("--server-key", o->owner.server_key, "Its public key file, COORDINATOR.pub")
      ->type_name("FILE");
  hand_in->add_option("--key", o->owner.key, "This client's key file, NAME.key")->type_name("FILE");
  hand_in->footer("Example:\n  ke-runtime submit --config campaign.toml");
  hand_in->callback([o, &exit_code] { exit_code = submit(*o); });
}

} // namespace ke::cli
