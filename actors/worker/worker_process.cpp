#include "actors/worker/worker_process.hpp"

#include "actors/fleet/local_worker.hpp"
#include "actors/messages/worker_addresses.hpp"
#include "actors/supervision/named_child.hpp"
#include "actors/supervision/supervisor.hpp"
#include "actors/supervision/system_settings.hpp"
#include "actors/worker/build_queue.hpp"
#include "actors/worker/devices.hpp"
#include "actors/worker/link.hpp"
#include "actors/worker/self_test.hpp"
#include "backends/peaks/peaks.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/net/endpoint.hpp"
#include "runtime/net/keys.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/scratch_root.hpp"
#include "runtime/process/signal_watch.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <future>
#include <iostream>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

namespace ke {
namespace {

std::string random_name() {
  std::random_device device;
  return digest_of(std::to_string(device()) + std::to_string(device()) + std::to_string(getpid()))
      .substr(0, 16);
}

std::string host_name() {
  char text[256] = "worker";
  gethostname(text, sizeof text - 1);
  return text;
}

/// What main waits for, in order: 's' a signal, 'e' the lifeline's end, or what another thread said.
class wakeup {
public:
  explicit wakeup(bool lifeline)
      : watch_{[this](int) { wake('s'); }, {lifeline ? STDIN_FILENO : -1, [this] { wake('e'); }}} {}

  void wake(char why) {
    {
      std::lock_guard lock{guard_};
      said_.push_back(why);
    }
    changed_.notify_one();
  }
  char wait() {
    std::unique_lock lock{guard_};
    changed_.wait(lock, [this] { return !said_.empty(); });
    auto why = said_.front();
    said_.pop_front();
    return why;
  }

private:
  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<char> said_;
  signal_watch watch_; ///< the last: its thread uses the others
};

/// One run of a worker process: what is checked and found out, then the actors. Members are destroyed from the
/// last to the first.
class worker_run {
public:
  explicit worker_run(const worker_process_options& options) : o_{options}, end_{options.lifeline} {}
  /// Exit code; blocks.
  int run();

private:
  using step = status (worker_run::*)();

  /// To the owner (local_worker.hpp).
  void say(std::string_view what) const {
    if (o_.lifeline)
      std::cout << what << std::endl;
  }
  status check_options();
  status check_sandbox();
  status make_scratch();
  status find_devices();
  status introduce();
  status prepare_link();
  result<connect_options> wire() const;
  std::vector<child_spec> children(const std::shared_ptr<directory>& names);
  int serve();
  char wait_for_the_end(const directory& names);

  const worker_process_options& o_;
  wakeup end_;
  std::optional<scratch_root> scratch_; // removed last, when no child of ours can write there any more
  std::optional<process_service> processes_;
  link_options link_;
};

status worker_run::check_options() {
  if (!parse_name<sandbox_level>(o_.sandbox))
    return failure{failure_kind::invalid, "--sandbox: expected full, best or none, not " + o_.sandbox, false};
  if (auto address = parse_endpoint(o_.endpoint); !address)
    return failure{failure_kind::invalid, "--connect: " + address.error().text, false};
  return ok;
}

status worker_run::check_sandbox() {
  say(steps_to_attach::sandbox);
  if (auto ready = sandbox_ready(*parse_name<sandbox_level>(o_.sandbox)); !ready)
    return ready.error();
  return ok;
}

status worker_run::make_scratch() {
  std::error_code no_folder;
  auto temporary = std::filesystem::temp_directory_path(no_folder);
  if (no_folder)
    return failure{failure_kind::missing,
                   "there is no temporary folder (" + no_folder.message() + "); set TMPDIR to one", false};
  auto made = scratch_root::make(temporary);
  if (!made)
    return made.error();
  scratch_.emplace(std::move(*made));
  return ok;
}

status worker_run::find_devices() {
  processes_.emplace();
  std::vector<std::filesystem::path> extra(o_.backend_paths.begin(), o_.backend_paths.end());
  auto backends = load_backends(built_in_backends(), extra);
  if (!backends)
    return backends.error();
  std::string absent;
  say(steps_to_attach::peaks);
  auto peaks =
      peaks_of_machine(o_.cache.empty() ? user_cache_folder() : std::filesystem::path{o_.cache}, cpu_facts());
  say(steps_to_attach::devices);
  for (const auto& b : *backends) {
    auto devices = probe_targets(b, *processes_);
    if (!devices) {
      absent += (absent.empty() ? "" : "; ") + b.name + ": " + devices.error().text;
      log::info("worker", "a backend that can't be used here", {{"why", devices.error().text}});
      continue;
    }
    for (auto& device : *devices) {
      if (auto others = device.facts.find(device_facts::strangers); others != device.facts.end())
        log::warn("worker", "other programs compute on a device; measure where they don't, or end them",
                  {{"device", device.name}, {"programs", others->second}});
      if (b.device == "cpu")
        announce_peaks(peaks, device);
      link_.hello.devices.push_back(std::move(device));
    }
    link_.backends.push_back(b);
  }
  if (link_.backends.empty())
    return failure{failure_kind::missing, "no backend can work here: " + absent, false};
  return ok;
}

status worker_run::introduce() {
  auto& hello = link_.hello;
  hello.name = o_.name.empty() ? host_name() + "-" + std::to_string(getpid()) : o_.name;
  hello.boot = random_name();
  hello.program = KE_VERSION;
  hello.build_slots = o_.slots ? o_.slots : std::min(4u, std::max(1u, std::thread::hardware_concurrency()));
  hello.device_slots = 1;
  for (const auto& label : o_.labels) {
    auto at = label.find('=');
    if (at == std::string::npos)
      return failure{failure_kind::invalid, "--label: expected k=v, not " + label, false};
    hello.labels[label.substr(0, at)] = label.substr(at + 1);
  }
  return ok;
}

result<connect_options> worker_run::wire() const {
  connect_options wire;
  wire.endpoint = o_.endpoint;
  if (!o_.server_key.empty()) {
    auto key = load_public_key(o_.server_key);
    if (!key)
      return key.error();
    wire.server_key = *key;
  }
  if (!o_.key.empty()) {
    auto pair = load_key_pair(o_.key);
    if (!pair)
      return pair.error();
    wire.keys = *pair;
  }
  wire.hello = link_.hello;
  return wire;
}

status worker_run::prepare_link() {
  link_.evaluation.sandbox = o_.sandbox;
  link_.evaluation.scratch = scratch_->folder();
  link_.evaluation.python = std::make_shared<python_parents>(); // warm as long as this process lives
  link_.evaluation.banks = std::make_shared<truth_banks>();
  if (!o_.cache.empty()) {
    link_.evaluation.cache = std::filesystem::path{o_.cache} / "objects";
    link_.results = (std::filesystem::path{o_.cache} / "results").string();
  }
  auto how = wire();
  if (!how)
    return how.error();
  link_.connect = [wire = *how](transport_events events) -> result<std::shared_ptr<transport_port>> {
    auto opened = transport::connect(wire, std::move(events));
    if (!opened)
      return opened.error();
    return std::shared_ptr<transport_port>{std::move(*opened)};
  };
  link_.refused = [this](failure) { end_.wake('r'); };
  link_.attached = [this] { say(steps_to_attach::attached); };
  link_.leaving = std::make_shared<departure>([this] { end_.wake('d'); });
  say(steps_to_attach::dial);
  return ok;
}

std::vector<child_spec> worker_run::children(const std::shared_ptr<directory>& names) {
  auto l = link_;
  l.names = names;
  builder_options b{names, &*processes_, l.hello.build_slots};
  devices_options d;
  d.names = names;
  d.processes = &*processes_;
  d.devices = l.hello.devices;
  d.self_test = [with = l.backends, evaluation = l.evaluation](const device_info& device) {
    auto b = find_backend(with, device.backend);
    return self_test_of(b ? *b : with.front(), device, evaluation);
  };
  std::vector<child_spec> all;
  all.push_back(named_child(names, addresses::link,
                            [l](caf::event_based_actor* self) { return self->spawn(link, l); }));
  all.push_back(named_child(names, addresses::devices,
                            [d](caf::event_based_actor* self) { return self->spawn(devices, d); }));
  all.push_back(named_child(names, addresses::builder,
                            [b](caf::event_based_actor* self) { return self->spawn(builder, b); }));
  return all;
}

int worker_run::serve() {
  system_settings settings{1u}; // the cores belong to compilers and candidates
  caf::actor_system system{settings};
  auto names = std::make_shared<directory>();
  supervisor_options s;
  s.name = "worker";
  s.strategy = restart_strategy::rest_for_one;
  s.on_failure = log_child_failure;
  auto root = system.spawn(supervisor, children(names), std::move(s));
  root->attach_functor([this](const caf::error& why) {
    if (!is_normal(why))
      end_.wake('c');
  });
  auto why = wait_for_the_end(*names);
  caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
  root = nullptr;
  return why == 'r' ? exit_usage : why == 'c' ? exit_internal : exit_done;
}

char worker_run::wait_for_the_end(const directory& names) {
  if (o_.lifeline) // from here on the end of standard input tells it, and there is time to clean up
    prctl(PR_SET_PDEATHSIG, 0);
  auto why = end_.wait();
  // Finish what is in hand; a second signal ends it now. A coordinator's own worker has nobody left to tell.
  if (why == 's' && !o_.lifeline) {
    link_.leaving->ask();
    names.send(addresses::link, drain_worker{});
    why = end_.wait();
  }
  if (o_.lifeline)
    alarm(2); // the owner is gone or going: an orderly end, but never a late one
  return why;
}

int worker_run::run() {
  if (o_.lifeline)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (step next : {&worker_run::check_options, &worker_run::check_sandbox, &worker_run::make_scratch,
                    &worker_run::find_devices, &worker_run::introduce, &worker_run::prepare_link})
    if (auto done = (this->*next)(); !done)
      return complain(done.error(), "worker");
  return serve();
}

} // namespace

int run_worker(const worker_process_options& options) {
  signal_watch::block(); // before any thread exists
  return worker_run{options}.run();
}

} // namespace ke
