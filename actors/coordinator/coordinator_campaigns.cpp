#include "actors/campaign/node_supervisor.hpp"
#include "actors/coordinator/coordinator.hpp"
#include "actors/knowledge/embedding_cache.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/supervision/named_child.hpp"
#include "actors/supervision/supervisor.hpp"
#include "config/override.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/wall_clock.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/records/best_known_baseline.hpp"
#include "runtime/records/warm_start.hpp"

#include <algorithm>

namespace ke {
namespace {

/// The newest one; null: there is none.
const campaign_row* campaign_named(const std::vector<campaign_row>& all, const std::string& name) {
  const campaign_row* found = nullptr;
  for (const auto& c : all)
    if (c.name == name)
      found = &c;
  return found;
}

failure is_for_another(const std::string& dir, const std::string& name) {
  return {failure_kind::invalid, "the store " + dir + " holds a campaign named " + name +
                                     " for another problem (or another version of it); start beside it with "
                                     "--fresh, or give [campaign] another name"};
}

/// A new campaign's row and first records. The fold must be able to take them before they are written.
result<store_batch> first_batch(const store_reader& store, std::uint32_t id,
                                const campaign_settings& settings, const problem& what) {
  auto trees = trees_of(settings);
  store_batch batch;
  campaign_row row;
  row.id = id;
  row.name = settings.name;
  row.state = "running";
  row.settings_digest = batch.blob(pack(settings));
  row.problem_digest = batch.blob(pack(what));
  row.created_unix_ms = unix_ms_now();
  row.trees = trees;
  batch.put(table::campaigns, key_of(id), pack(row));
  auto seeds = seeds_for(store, settings, trees, what);
  if (!seeds)
    return seeds.error();
  campaign_fold trial;
  auto note = [&](journal_kind kind, const auto& r) {
    batch.journal.emplace_back(id, journal_record{kind, 0, row.created_unix_ms, pack(r)});
    return trial.apply(r);
  };
  journal_configured first{settings, row.problem_digest, trees, KE_VERSION};
  if (auto fine = note(journal_kind::configured, first); !fine)
    return fine.error();
  for (const auto& s : *seeds)
    if (auto fine = note(journal_kind::seeded, s); !fine)
      return fine.error();
  return batch;
}

} // namespace

void coordinator::submit(campaign_settings settings, problem what, bool fresh,
                         std::function<void(result<std::uint32_t>)> done) {
  acts_->post([this, settings = std::move(settings), what = std::move(what), fresh,
               done = std::move(done)]() mutable {
    try {
      begin_submission(std::move(settings), std::move(what), fresh, done);
    } catch (const std::exception& e) { // of what a client sent, perhaps
      done(failure{failure_kind::internal, std::string{"the campaign could not be started: "} + e.what()});
    }
  });
}

/// On the thread of client_acts, one submission after the other: ids are given in the order of arrival, also
/// while an earlier one still waits for its commit.
void coordinator::begin_submission(campaign_settings settings, problem what, bool fresh,
                                   std::function<void(result<std::uint32_t>)> done) {
  auto reader = store_reader::open(store_->dir());
  if (!reader)
    return done(reader.error());
  auto all = reader->campaigns();
  if (!all)
    return done(all.error());
  const auto* present = fresh ? nullptr : campaign_named(*all, settings.name);
  if (auto given = complete_baseline(*reader, settings,
                                     present ? std::optional{present->problem_digest} : std::nullopt, what);
      !given)
    return done(given.error());
  auto digest = digest_of(pack(what));
  if (!fresh && join_submission(settings.name, digest, done))
    return;
  if (present)
    return done(resume_present(*present, settings, what, digest));
  std::uint32_t id = submissions_.empty() ? 0 : submissions_.rbegin()->first;
  for (const auto& c : *all)
    id = std::max(id, c.id);
  ++id;
  auto batch = first_batch(*reader, id, settings, what);
  if (!batch)
    return done(batch.error());
  submissions_[id] = {settings.name, digest, {std::move(done)}};
  acts_->store().write(std::move(*batch), [this, id, settings = std::move(settings), what = std::move(what),
                                           digest](status committed) {
    acts_->post([this, id, settings, what, digest, committed] {
      auto s = submissions_.extract(id);
      if (committed)
        start_campaign(id, settings, what, digest);
      for (const auto& tell : s.mapped().done)
        tell(committed ? result<std::uint32_t>{id} : result<std::uint32_t>{committed.error()});
    });
  });
}

/// False: no submission of that name waits for its commit.
bool coordinator::join_submission(const std::string& name, const std::string& problem_digest,
                                  const std::function<void(result<std::uint32_t>)>& done) {
  submission* waiting = nullptr;
  for (auto& [id, s] : submissions_)
    if (s.name == name)
      waiting = &s;
  if (!waiting)
    return false;
  if (waiting->problem_digest == problem_digest)
    waiting->done.push_back(done);
  else
    done(is_for_another(store_->dir(), name));
  return true;
}

/// Its id: it runs, or is started again.
result<std::uint32_t> coordinator::resume_present(const campaign_row& present,
                                                  const campaign_settings& settings, const problem& what,
                                                  const std::string& problem_digest) {
  {
    std::lock_guard lock{mutex_};
    if (auto c = campaigns_.find(present.id); c != campaigns_.end() && !c->second.outcome)
      return present.id;
  }
  if (present.problem_digest != problem_digest)
    return is_for_another(store_->dir(), settings.name);
  start_campaign(present.id, settings, what, problem_digest);
  return present.id;
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
  auto o = options_of(id, settings, what);
  tree_context common;
  common.campaign = id;
  common.names = names_;
  common.store = store_.get();
  common.problem = std::make_shared<const problem>(what);
  common.problem_digest = problem_digest;
  common.symbol = symbol_of(what);
  common.timed = settings.goal.timed;
  common.floor = settings.goal.floor;
  common.library = library_;
  common.agents = settings.agents;
  common.embeddings = embeddings_of(settings);
  std::vector<child_spec> children;
  children.push_back(named_child(names_, addresses::campaign(id),
                                 [o](caf::event_based_actor* self) { return self->spawn(campaign, o); }));
  auto trees = trees_of(settings);
  for (std::uint32_t t = 0; t < trees.size(); ++t) {
    auto context = std::make_shared<tree_context>(common);
    context->texts = std::make_shared<text_pool>(); // each tree its own
    context->tree = t;
    context->backend = trees[t];
    context->language = o.languages.at(trees[t]);
    if (context->language->own_names)
      context->symbol.clear();
    for (const auto& target : settings.targets)
      if (target.backend == trees[t])
        context->devices.push_back(target.device);
    children.push_back(
        named_child(names_, addresses::node_supervisor(id, t), [context](caf::event_based_actor* self) {
          return self->spawn(node_supervisor, context, node_supervisor_options{});
        }));
  }
  start_children(id, settings.name, std::move(children));
}

/// Null: documents are found by words. The knowledge actor begins with the library's own vectors.
std::shared_ptr<const embedding_settings> coordinator::embeddings_of(const campaign_settings& settings) {
  if (settings.embeddings.base_url.empty())
    return nullptr;
  auto server = std::make_shared<const embedding_settings>(settings.embeddings);
  // Lost? The first prompt says it again.
  names_->send(addresses::knowledge, vector_wanted{server, {}, {}, 0});
  return server;
}

void coordinator::start_children(std::uint32_t id, const std::string& name,
                                 std::vector<child_spec> children) {
  supervisor_options s;
  s.name = "campaign " + name;
  s.strategy = restart_strategy::rest_for_one;
  s.seed = id;
  s.on_failure = log_child_failure;
  child_spec spec;
  spec.name = addresses::campaign(id).name().text();
  spec.mode = restart_mode::transient;
  spec.start = [children = std::move(children), s](caf::event_based_actor* self) {
    return self->spawn(supervisor, children, s);
  };
  caf::anon_send(root_, stop_child{spec.name}); // of an earlier session that has ended
  caf::anon_send(root_, start_child{std::move(spec)});
}

campaign_options coordinator::options_of(std::uint32_t id, const campaign_settings& settings,
                                         const problem& what) {
  campaign_options o;
  for (const auto& name :
       trees_of(settings)) { // of a backend that is not here, only workers have the manifest
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
  o.load = [this, id](std::function<void(result<std::shared_ptr<stored_campaign>>)> done) {
    read_campaign(id, std::move(done));
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
  return o;
}

/// The empty write is answered after all earlier ones. No thread waits for it: on a full disk that may take
/// hours.
void coordinator::read_campaign(std::uint32_t id,
                                std::function<void(result<std::shared_ptr<stored_campaign>>)> done) {
  store_->write({}, [files = files_.get(), dir = store_->dir(), id, done = std::move(done)](status written) {
    if (!written)
      return done(written.error());
    files->post([dir, id, done] {
      auto reader = store_reader::open(dir);
      done(reader ? read_stored_campaign(*reader, id, read_folded_start(*reader, id))
                  : result<std::shared_ptr<stored_campaign>>{reader.error()});
    });
  });
}

} // namespace ke
