#include "actors/coordinator/coordinator.hpp"

#include "actors/messages/addresses.hpp"
#include "actors/supervision/supervisor.hpp"
#include "actors/supervision/system_settings.hpp"
#include "runtime/net/control_socket.hpp"
#include "runtime/net/hello_rule.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/process/self_process.hpp"

#include <unistd.h>

namespace ke {
namespace {

constexpr std::chrono::seconds last_word{5}; ///< of a campaign that was told twice to end

} // namespace

coordinator::coordinator(coordinator_options options) : options_{std::move(options)} {}

result<std::unique_ptr<store_owner>> store_owner::start(coordinator_options options) {
  auto made = coordinator::start(std::move(options));
  if (!made)
    return made.error();
  return std::unique_ptr<store_owner>{std::move(*made)};
}

result<std::unique_ptr<coordinator>> coordinator::start(coordinator_options options) {
  std::unique_ptr<coordinator> c{new coordinator{std::move(options)}};
  auto backends = load_backends(built_in_backends(), c->options_.backend_paths);
  if (!backends)
    return backends.error();
  c->backends_ = std::move(*backends);
  std::vector<std::string> paths;
  for (const auto& p : c->options_.backend_paths)
    paths.push_back(p.string());
  auto documents = load_corpus(knowledge_folders(paths));
  if (!documents)
    return documents.error();
  c->library_ = std::make_shared<library>(std::move(*documents));
  if (auto opened = c->open_store(); !opened)
    return opened.error();
  c->processes_ = std::make_unique<process_service>();
  c->acts_ = std::make_unique<client_acts>(*c->store_, *c->processes_);
  c->http_ = std::make_unique<http_service>();
  c->config_ = std::make_unique<system_settings>(2u);
  c->system_ = std::make_unique<caf::actor_system>(*c->config_);
  if (!c->options_.durable_only)
    if (auto ready = c->open_wire(); !ready)
      return ready.error();
  c->start_root();
  return c;
}

coordinator::~coordinator() {
  if (acts_)
    acts_->end(); // from here on nobody waits for the store, which may wait for a full disk
  if (root_)
    caf::anon_send_exit(root_, caf::exit_reason::user_shutdown);
  root_ = nullptr;
  system_.reset(); // waits for all actors
  if (providers_)
    providers_->close();
  http_.reset();
  processes_.reset();
  acts_.reset();
  if (files_)
    files_->wait(); // a campaign that is being read
  store_.reset();   // drains its queue; the last commits may still hand images over
  files_.reset();
}

status coordinator::open_store() {
  store_options o;
  o.dir = options_.store;
  o.program = KE_VERSION;
  o.verify = verify_in_child;
  o.on_trouble = [this](const failure& why) { troubled(why); };
  auto opened = store_service::open(std::move(o));
  if (!opened)
    return opened.error();
  store_ = std::move(*opened);
  files_ = std::make_unique<work_thread>();
  return ok;
}

/// On the store thread. A full disk is waited out: nothing that needs a commit goes on meanwhile. Any other
/// trouble is the end of this session.
void coordinator::troubled(const failure& why) {
  if (why.kind == failure_kind::none)
    log::info("store", "there is space again; going on");
  else
    log::error("store",
               why.kind == failure_kind::disk_full ? "the disk is full; waiting"
                                                   : "the store can't be written",
               {{"why", why.text}});
  {
    std::lock_guard lock{mutex_};
    trouble_ = why;
  }
  if (why.kind != failure_kind::none && why.kind != failure_kind::disk_full)
    give_up(why);
  if (options_.trouble)
    options_.trouble(why);
}

void coordinator::give_up(const failure& why) {
  std::lock_guard lock{mutex_};
  for (auto& [id, c] : campaigns_)
    if (!c.outcome)
      c.outcome = campaign_outcome{"failed", "", false, why};
  changed_.notify_all();
}

result<listen_options> coordinator::listening() const {
  listen_options o;
  o.endpoints = {{control_endpoint_, false, true}, {worker_endpoint_, true, false}};
  o.store = store_->id();
  o.epoch = store_->epoch();
  o.admit = hello_rule(options_.cluster);
  if (options_.cluster.listen.empty())
    return o;
  // Keyless TCP admits no clients all the same (runtime/net/transport.hpp).
  o.endpoints.push_back({options_.cluster.listen, true, true});
  if (!options_.cluster.key.empty()) {
    auto keys = load_key_pair(options_.cluster.key);
    if (!keys)
      return keys.error();
    o.keys = *keys;
  }
  o.authorized_keys = options_.cluster.authorized_keys;
  o.client_keys = options_.cluster.client_keys;
  return o;
}

/// Decides the endpoints; the gateway binds them. Finds a missing key, or an address that another process
/// holds, before any actor starts: no restart of the gateway would mend that.
status coordinator::open_wire() {
  auto runtime_dir = std::getenv("XDG_RUNTIME_DIR");
  auto chosen = take_control_path(
      control_paths(store_->dir(), store_->id(), runtime_dir ? runtime_dir : "", getuid()), store_->dir());
  if (!chosen)
    return chosen.error();
  const auto& path = *chosen;
  auto worker_path = path.substr(0, path.size() - 5) + "-w.sock";
  ::unlink(worker_path.c_str());
  control_endpoint_ = "ipc://" + path;
  worker_endpoint_ = "ipc://" + worker_path;
  auto o = listening();
  if (!o)
    return o.error();
  if (auto tried = transport::listen(std::move(*o), {}); !tried)
    return tried.error();
  return store_->announce(path);
}

campaign_outcome coordinator::wait(std::uint32_t id) {
  std::unique_lock lock{mutex_};
  auto& c = campaigns_[id];
  changed_.wait(lock, [&] { return c.outcome || interrupts_ > 1; });
  // Told twice to end, it ends at once, unless its last word waits for a commit: perhaps for a full disk.
  if (!changed_.wait_for(lock, last_word, [&] { return c.outcome.has_value(); }))
    c.outcome = campaign_outcome{"paused", "interrupted", false, {}};
  return *c.outcome;
}

void coordinator::interrupt_all() {
  std::lock_guard lock{mutex_};
  ++interrupts_;
  changed_.notify_all();
  for (const auto& [id, c] : campaigns_)
    if (!c.outcome)
      names_->send(addresses::campaign(id), interrupt{});
}

result<std::uint32_t> coordinator::find_running(const std::string& name) const {
  std::lock_guard lock{mutex_};
  std::optional<std::uint32_t> found;
  for (const auto& [id, c] : campaigns_)
    if (!c.outcome && (name.empty() || c.name == name)) {
      if (found && name.empty())
        return failure{failure_kind::invalid, "several campaigns run here; name one with --campaign"};
      found = id;
    }
  if (!found)
    return failure{failure_kind::invalid, name.empty() ? "no campaign is running here"
                                                       : "no campaign named " + name + " is running here"};
  return *found;
}

void coordinator::publish(const std::string& line) {
  if (options_.publish)
    options_.publish(line);
  std::lock_guard lock{mutex_};
  for (const auto& [number, listener] : listeners_)
    listener(line);
}

std::uint64_t coordinator::subscribe(std::function<void(const std::string&)> listener) {
  std::lock_guard lock{mutex_};
  listeners_[next_listener_] = std::move(listener);
  return next_listener_++;
}

void coordinator::unsubscribe(std::uint64_t number) {
  std::lock_guard lock{mutex_};
  listeners_.erase(number);
}

} // namespace ke
