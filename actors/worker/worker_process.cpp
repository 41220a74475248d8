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
#include "runtime/core/digest.hpp"
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

} // namespace

int run_worker(const worker_process_options& o) {
  signal_watch::block(); // before any thread exists
  wakeup end{o.lifeline};
  auto say = [tells = o.lifeline](std::string_view step) { // to the owner (local_worker.hpp)
    if (tells)
      std::cout << step << std::endl;
  };
  if (o.lifeline)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!parse_name<sandbox_level>(o.sandbox))
    return complain(
        {failure_kind::invalid, "--sandbox: expected full, best or none, not " + o.sandbox, false}, "worker");

  if (auto address = parse_endpoint(o.endpoint); !address)
    return complain({failure_kind::invalid, "--connect: " + address.error().text, false}, "worker");
  say(steps_to_attach::sandbox);
  if (auto ready = sandbox_ready(*parse_name<sandbox_level>(o.sandbox)); !ready)
    return complain(ready.error(), "worker");
  std::error_code no_folder;
  auto temporary = std::filesystem::temp_directory_path(no_folder);
  if (no_folder)
    return complain({failure_kind::missing,
                     "there is no temporary folder (" + no_folder.message() + "); set TMPDIR to one", false},
                    "worker");
  // Removed last, when no child of ours can write there any more.
  auto scratch = scratch_root::make(temporary);
  if (!scratch)
    return complain(scratch.error(), "worker");
  process_service processes;
  std::vector<std::filesystem::path> extra(o.backend_paths.begin(), o.backend_paths.end());
  auto backends = load_backends(built_in_backends(), extra);
  if (!backends)
    return complain(backends.error(), "worker");
  link_options l;
  std::string absent;
  say(steps_to_attach::peaks);
  auto peaks =
      peaks_of_machine(o.cache.empty() ? user_cache_folder() : std::filesystem::path{o.cache}, cpu_facts());
  say(steps_to_attach::devices);
  for (const auto& b : *backends) {
    auto device = probe_target(b, processes);
    if (device) {
      if (b.device == "cpu")
        announce_peaks(peaks, *device);
      l.hello.devices.push_back(std::move(*device));
      l.backends.push_back(b);
    } else {
      absent += (absent.empty() ? "" : "; ") + b.name + ": " + device.error().text;
    }
  }
  if (l.backends.empty())
    return complain({failure_kind::missing, "no backend can work here: " + absent, false}, "worker");

  l.hello.name = o.name.empty() ? host_name() + "-" + std::to_string(getpid()) : o.name;
  l.hello.boot = random_name();
  l.hello.program = KE_VERSION;
  l.hello.build_slots = o.slots ? o.slots : std::min(4u, std::max(1u, std::thread::hardware_concurrency()));
  l.hello.device_slots = 1;
  for (const auto& label : o.labels) {
    auto at = label.find('=');
    if (at == std::string::npos)
      return complain({failure_kind::invalid, "--label: expected k=v, not " + label, false}, "worker");
    l.hello.labels[label.substr(0, at)] = label.substr(at + 1);
  }
  l.evaluation.sandbox = o.sandbox;
  l.evaluation.scratch = scratch->folder();
  l.evaluation.python = std::make_shared<python_parents>(); // warm as long as this process lives
  if (!o.cache.empty()) {
    l.evaluation.cache = std::filesystem::path{o.cache} / "objects";
    l.results = (std::filesystem::path{o.cache} / "results").string();
  }
  connect_options wire;
  wire.endpoint = o.endpoint;
  if (!o.server_key.empty()) {
    auto key = load_public_key(o.server_key);
    if (!key)
      return complain(key.error(), "worker");
    wire.server_key = *key;
  }
  if (!o.key.empty()) {
    auto pair = load_key_pair(o.key);
    if (!pair)
      return complain(pair.error(), "worker");
    wire.keys = *pair;
  }
  wire.hello = l.hello;
  l.connect = [wire](transport_events events) -> result<std::shared_ptr<transport_port>> {
    auto opened = transport::connect(wire, std::move(events));
    if (!opened)
      return opened.error();
    return std::shared_ptr<transport_port>{std::move(*opened)};
  };
  l.refused = [&end](failure) { end.wake('r'); };
  l.attached = [say] { say(steps_to_attach::attached); };
  l.leaving = std::make_shared<departure>([&end] { end.wake('d'); });
  say(steps_to_attach::dial);

  system_settings settings{1u}; // the cores belong to compilers and candidates
  caf::actor_system system{settings};
  auto names = std::make_shared<directory>();
  l.names = names;
  builder_options b{names, &processes, l.hello.build_slots};
  devices_options d;
  d.names = names;
  d.processes = &processes;
  d.devices = l.hello.devices;
  d.self_test = [with = l.backends, evaluation = l.evaluation](const device_info& device) {
    auto b = find_backend(with, device.backend);
    return self_test_of(b ? *b : with.front(), device, evaluation);
  };
  std::vector<child_spec> children;
  children.push_back(named_child(names, addresses::link,
                                 [l](caf::event_based_actor* self) { return self->spawn(link, l); }));
  children.push_back(named_child(names, addresses::devices,
                                 [d](caf::event_based_actor* self) { return self->spawn(devices, d); }));
  children.push_back(named_child(names, addresses::builder,
                                 [b](caf::event_based_actor* self) { return self->spawn(builder, b); }));
  supervisor_options s;
  s.name = "worker";
  s.strategy = restart_strategy::rest_for_one;
  s.on_failure = log_child_failure;
  auto root = system.spawn(supervisor, std::move(children), std::move(s));
  root->attach_functor([&end](const caf::error& why) {
    if (!is_normal(why))
      end.wake('c');
  });

  if (o.lifeline) // from here on the end of standard input tells it, and there is time to clean up
    prctl(PR_SET_PDEATHSIG, 0);
  auto code = static_cast<int>(exit_done);
  auto why = end.wait();
  // Finish what is in hand; a second signal ends it now. A coordinator's own worker has nobody left to tell.
  if (why == 's' && !o.lifeline) {
    l.leaving->ask();
    names->send(addresses::link, drain_worker{});
    why = end.wait();
  }
  if (o.lifeline)
    alarm(2); // the owner is gone or going: an orderly end, but never a late one
  if (why == 'r')
    code = exit_usage;
  if (why == 'c')
    code = exit_internal;
  caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
  root = nullptr;
  return code;
}

} // namespace ke
