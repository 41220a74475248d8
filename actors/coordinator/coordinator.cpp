#include "actors/coordinator/coordinator.hpp"

#include "actors/campaign/evaluator.hpp"
#include "actors/campaign/node_supervisor.hpp"
#include "actors/coordinator/control.hpp"
#include "actors/coordinator/control_commands.hpp"
#include "actors/fleet/fleet.hpp"
#include "actors/fleet/gateway.hpp"
#include "actors/fleet/local_worker.hpp"
#include "actors/knowledge/skill_learner.hpp"
#include "actors/llm/synthesizer.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/supervision/named_child.hpp"
#include "actors/supervision/supervisor.hpp"
#include "actors/supervision/system_settings.hpp"
#include "config/campaign_file.hpp"
#include "config/override.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/wall_clock.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/llm/providers.hpp"
#include "runtime/net/control_socket.hpp"
#include "runtime/net/hello_rule.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/process/self_process.hpp"
#include "runtime/records/best_known_baseline.hpp"
#include "runtime/records/recorded_answers.hpp"
#include "runtime/records/warm_start.hpp"

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
  c->desk_ = std::make_unique<client_acts>(*c->store_, *c->processes_);
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
  if (desk_)
    desk_->end(); // from here on nobody waits for the store, which may wait for a full disk
  if (root_)
    caf::anon_send_exit(root_, caf::exit_reason::user_shutdown);
  root_ = nullptr;
  system_.reset(); // waits for all actors
  if (providers_)
    providers_->close();
  http_.reset();
  processes_.reset();
  desk_.reset();
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

/// Decides the endpoints; the gateway binds them. A key that is missing or an address that another process
/// has is found here, before any actor starts: what no restart of the gateway would mend.
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

void coordinator::start_root() {
  std::vector<child_spec> children;
  synthesizer_options models;
  models.names = names_;
  models.find = [this](std::uint32_t campaign, const std::string& name) -> std::optional<model_settings> {
    std::lock_guard lock{mutex_};
    auto c = campaigns_.find(campaign);
    if (c != campaigns_.end())
      for (const auto& m : c->second.settings.models)
        if (m.name == name)
          return m;
    return std::nullopt;
  };
  models.calls = calls_;
  models.providers = providers_ = std::make_shared<provider_pool>([this](const model_settings& m) {
    provider_services services;
    services.http = http_.get();
    services.process = processes_.get();
    services.record = [calls = calls_, store = store_.get()](const raw_answer& a) {
      calls->record(*store, a);
    };
    if (traits_of(m.provider).body == body_form::recorded &&
        std::filesystem::exists(std::filesystem::path{m.dir} / "STORE"))
      services.replay = recorded_answers(m.dir);
    return make_provider(m, services);
  });
  models.seed = store_->epoch();
  children.push_back(named_child(names_, addresses::synthesizer, [models](caf::event_based_actor* self) {
    return self->spawn(synthesizer, models);
  }));
  if (!options_.durable_only) {
    gateway_options g;
    g.names = names_;
    g.listen = [this](transport_events events) -> result<std::shared_ptr<transport_port>> {
      auto o = listening();
      if (!o)
        return o.error();
      auto opened = transport::listen(std::move(*o), std::move(events));
      if (!opened)
        return opened.error();
      return std::shared_ptr<transport_port>{std::move(*opened)};
    };
    children.push_back(named_child(names_, addresses::gateway,
                                   [g](caf::event_based_actor* self) { return self->spawn(gateway, g); }));
    fleet_options f;
    f.names = names_;
    f.store = store_.get();
    f.store_id = store_->id();
    f.key = store_->warrant_key();
    f.epoch = store_->epoch();
    children.push_back(named_child(names_, addresses::fleet,
                                   [f](caf::event_based_actor* self) { return self->spawn(fleet, f); }));
    if (options_.cluster.local_worker) {
      local_worker_options w;
      w.processes = processes_.get();
      w.argv = {self_path().string(),
                "worker",
                "--connect",
                worker_endpoint_,
                "--name",
                "local",
                "--sandbox",
                options_.sandbox,
                "--cache",
                (std::filesystem::path{store_->dir()} / "cache").string(),
                "--lifeline"};
      for (const auto& p : options_.backend_paths)
        w.argv.insert(w.argv.end(), {"--backend-path", p.string()});
      w.on_missing = [this](failure why) {
        if (options_.trouble)
          options_.trouble(why);
      };
      children.push_back(named_child(names_, addresses::local_worker, [w](caf::event_based_actor* self) {
        return self->spawn(local_worker, w);
      }));
    }
    evaluator_options e;
    e.names = names_;
    e.store = store_.get();
    e.store_id = store_->id();
    for (const auto& b : backends_)
      e.limits[b.name] = b.limits;
    children.push_back(named_child(names_, addresses::evaluator,
                                   [e](caf::event_based_actor* self) { return self->spawn(evaluator, e); }));
    knowledge_options k;
    k.names = names_;
    k.store = store_.get();
    k.http = http_.get();
    k.store_id = store_->id();
    k.shelf = library_;
    k.written = library_->now();
    children.push_back(named_child(names_, addresses::knowledge,
                                   [k](caf::event_based_actor* self) { return self->spawn(knowledge, k); }));
    control_options c;
    c.names = names_;
    c.carry_out = [this](control_request request) { carry_out(*this, std::move(request)); };
    c.subscribe = [this](std::function<void(const std::string&)> listener) -> std::function<void()> {
      auto number = subscribe(std::move(listener));
      return [this, number] { unsubscribe(number); };
    };
    children.push_back(named_child(names_, addresses::control, [c](caf::event_based_actor* self) {
      return self->spawn<caf::detached>(control, c);
    }));
  }
  supervisor_options o;
  o.name = "root";
  o.strategy = restart_strategy::rest_for_one;
  o.seed = store_->epoch();
  o.on_failure = log_child_failure;
  root_ = system_->spawn(supervisor, std::move(children), std::move(o));
  root_->attach_functor([this](const caf::error& why) {
    if (is_normal(why))
      return;
    failure failed{failure_kind::internal, text_of(why), false};
    give_up(failed);
    if (options_.trouble)
      options_.trouble(failed);
  });
}

void coordinator::submit(campaign_settings settings, problem what, bool fresh,
                         std::function<void(result<std::uint32_t>)> done) {
  desk_->post([this, settings = std::move(settings), what = std::move(what), fresh,
               done = std::move(done)]() mutable {
    try {
      begin_submission(std::move(settings), std::move(what), fresh, done);
    } catch (const std::exception& e) { // of what a client sent, perhaps
      done(failure{failure_kind::internal, std::string{"the campaign could not be started: "} + e.what()});
    }
  });
}

/// On the desk's thread, one submission after the other: ids are given in the order of arrival, also while an
/// earlier one still waits for its commit.
void coordinator::begin_submission(campaign_settings settings, problem what, bool fresh,
                                   std::function<void(result<std::uint32_t>)> done) {
  auto reader = store_reader::open(store_->dir());
  if (!reader)
    return done(reader.error());
  auto all = reader->campaigns();
  if (!all)
    return done(all.error());
  auto for_another = failure{failure_kind::invalid,
                             "the store " + store_->dir() + " holds a campaign named " + settings.name +
                                 " for another problem (or another version of it); start beside it with "
                                 "--fresh, or give [campaign] another name"};
  std::uint32_t last = 0;
  const campaign_row* present = nullptr;
  for (const auto& c : *all) {
    last = std::max(last, c.id);
    if (c.name == settings.name)
      present = &c;
  }
  if (auto given = complete_baseline(
          *reader, settings, present && !fresh ? std::optional{present->problem_digest} : std::nullopt, what);
      !given)
    return done(given.error());
  auto packed = pack(what);
  auto digest = digest_of(packed);
  submission* waiting = nullptr;
  for (auto& [id, s] : submissions_) {
    last = std::max(last, id);
    if (s.name == settings.name)
      waiting = &s;
  }
  if (waiting && !fresh) {
    if (waiting->problem_digest != digest)
      return done(for_another);
    waiting->done.push_back(std::move(done));
    return;
  }
  if (present && !fresh) {
    {
      std::lock_guard lock{mutex_};
      if (auto c = campaigns_.find(present->id); c != campaigns_.end() && !c->second.outcome)
        return done(present->id); // it runs
    }
    if (present->problem_digest != digest)
      return done(for_another);
    start_campaign(present->id, settings, what, digest);
    return done(present->id);
  }
  auto id = last + 1;
  auto trees = trees_of(settings);
  store_batch batch;
  campaign_row row;
  row.id = id;
  row.name = settings.name;
  row.state = "running";
  row.settings_digest = batch.blob(pack(settings));
  row.problem_digest = batch.blob(std::move(packed));
  row.created_unix_ms = unix_ms_now();
  row.trees = trees;
  batch.put(table::campaigns, key_of(id), pack(row));
  journal_configured first{settings, row.problem_digest, trees, KE_VERSION};
  auto seeds = seeds_for(*reader, settings, trees, what);
  if (!seeds)
    return done(seeds.error());
  // The fold must be able to take it before it is written.
  campaign_fold trial;
  auto note = [&](journal_kind kind, const auto& r) {
    batch.journal.emplace_back(id, journal_record{kind, 0, row.created_unix_ms, pack(r)});
    return trial.apply(r);
  };
  if (auto fine = note(journal_kind::configured, first); !fine)
    return done(fine.error());
  for (const auto& s : *seeds)
    if (auto fine = note(journal_kind::seeded, s); !fine)
      return done(fine.error());
  submissions_[id] = {settings.name, digest, {std::move(done)}};
  desk_->store().write(std::move(batch), [this, id, settings = std::move(settings), what = std::move(what),
                                          digest](status committed) {
    desk_->post([this, id, settings, what, digest, committed] {
      auto s = submissions_.extract(id);
      if (committed)
        start_campaign(id, settings, what, digest);
      for (const auto& tell : s.mapped().done)
        tell(committed ? result<std::uint32_t>{id} : result<std::uint32_t>{committed.error()});
    });
  });
}

result<std::uint32_t> coordinator::submit(campaign_settings settings, const problem& what, bool fresh) {
  auto id = std::make_shared<std::optional<result<std::uint32_t>>>();
  submit(std::move(settings), what, fresh, [this, id](result<std::uint32_t> r) {
    std::lock_guard lock{mutex_};
    *id = std::move(r);
    changed_.notify_all();
  });
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return id->has_value() || interrupts_ > 0; });
  if (id->has_value())
    return **id;
  if (trouble_.kind != failure_kind::none)
    return trouble_;
  return failure{failure_kind::cancelled, "interrupted before the campaign was stored"};
}

void coordinator::start_campaign(std::uint32_t id, const campaign_settings& settings, const problem& what,
                                 const std::string& problem_digest) {
  {
    std::lock_guard lock{mutex_};
    campaigns_[id] = {settings.name, settings, std::nullopt};
  }
  campaign_options o;
  auto trees = trees_of(settings);
  for (const auto& name : trees) { // of a backend that is not here, only workers have the manifest
    auto with = find_backend(backends_, name);
    o.languages[name] = std::make_shared<const candidate_language>(
        with ? std::move(with->language) : usual_language(what.reference_language));
  }
  o.id = id;
  o.names = names_;
  o.store = store_.get();
  o.store_id = store_->id();
  o.epoch = store_->epoch();
  o.calls = calls_;
  o.settings = settings;
  o.override = [](const campaign_settings& now, const std::string& key, const std::string& value) {
    return with_override(now, key + "=" + value);
  };
  o.load = [files = files_.get(), store = store_.get(),
            id](std::function<void(result<std::shared_ptr<stored_campaign>>)> done) {
    // Behind all that was written before; a thread that waited for it would wait as long as a full disk does.
    store->write({}, [files, dir = store->dir(), id, done](status written) {
      if (!written)
        return done(written.error());
      files->post([dir, id, done] {
        auto reader = store_reader::open(dir);
        done(reader ? read_stored_campaign(*reader, id, read_folded_start(*reader, id))
                    : result<std::shared_ptr<stored_campaign>>{reader.error()});
      });
    });
  };
  o.keep_image = [files = files_.get(), dir = store_->dir()](image_header header, std::string body) {
    files->post([dir, header = std::move(header), body = std::move(body)]() mutable {
      if (auto done = write_image(dir, std::move(header), body); !done)
        log::warn("store", "no image of the campaign is kept", {{"why", done.error().text}});
    });
  };
  o.ended = [this, id](campaign_outcome out) {
    std::lock_guard lock{mutex_};
    campaigns_[id].outcome = std::move(out);
    changed_.notify_all();
  };
  o.publish = [this](const std::string& line) { publish(line); };
  o.unix_ms = unix_ms_now;
  o.admission = !options_.durable_only; // whose stand-in judges nothing

  std::shared_ptr<const embedding_settings> embeddings;
  if (!settings.embeddings.base_url.empty()) {
    embeddings = std::make_shared<const embedding_settings>(settings.embeddings);
    names_->send(addresses::knowledge,
                 vector_wanted{embeddings, {}, {}, 0}); // lost? the first prompt says it again
  }
  std::vector<child_spec> children;
  children.push_back(named_child(names_, addresses::campaign(id),
                                 [o](caf::event_based_actor* self) { return self->spawn(campaign, o); }));
  for (std::uint32_t t = 0; t < trees.size(); ++t) {
    auto context = std::make_shared<tree_context>();
    context->campaign = id;
    context->tree = t;
    context->names = names_;
    context->store = store_.get();
    context->problem = std::make_shared<const problem>(what);
    context->problem_digest = problem_digest;
    context->backend = trees[t];
    context->language = o.languages.at(trees[t]);
    context->symbol = symbol_of(what);
    for (const auto& target : settings.targets)
      if (target.backend == trees[t])
        context->devices.push_back(target.device);
    context->timed = settings.goal.timed;
    context->floor = settings.goal.floor;
    context->library = library_;
    context->embeddings = embeddings;
    context->agents = settings.agents;
    children.push_back(
        named_child(names_, addresses::node_supervisor(id, t), [context](caf::event_based_actor* self) {
          return self->spawn(node_supervisor, context, node_supervisor_options{});
        }));
  }
  supervisor_options s;
  s.name = "campaign " + settings.name;
  s.strategy = restart_strategy::rest_for_one;
  s.seed = id;
  s.on_failure = log_child_failure;
  child_spec spec;
  spec.name = addresses::campaign(id).name().text();
  spec.mode = restart_mode::transient;
  spec.start = [children, s](caf::event_based_actor* self) { return self->spawn(supervisor, children, s); };
  caf::anon_send(root_, stop_child{spec.name}); // of an earlier session that has ended
  caf::anon_send(root_, start_child{std::move(spec)});
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
