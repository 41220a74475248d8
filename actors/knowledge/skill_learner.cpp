#include "actors/knowledge/skill_learner.hpp"

#include "actors/messages/addresses.hpp"
#include "actors/messages/handlers_of.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "knowledge/prompt/node_summaries.hpp"
#include "knowledge/prompt/node_summary.hpp"
#include "knowledge/skills/distil.hpp"
#include "knowledge/skills/skill_library.hpp"
#include "knowledge/skills/skill_record.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/observe/log.hpp"

#include <algorithm>
#include <map>

namespace ke {

struct skills_read {
  std::vector<skill> all;
};
struct way_read {
  learn what;
  std::vector<proven_step> steps;
  std::vector<skill_claim> claims;
};

} // namespace ke

KE_MESSAGE(ke::skills_read)
KE_MESSAGE(ke::way_read)

namespace ke {
namespace {

constexpr std::size_t most_skills = 10'000;

std::optional<skill_claim> claim_of(const verdict& v) {
  if (v.state != verdict_state::correct || !v.timing)
    return std::nullopt;
  skill_claim c{v.device, compared_with(v), v.timing->speedup, v.timing->low, v.timing->high, {}};
  for (const auto& w : v.timing->workloads)
    c.workloads.push_back({w.name, w.speedup, w.low, w.high, w.held_out});
  return c;
}

/// Reads the winner's claim and then the summaries of a chain, one after the other, on the store thread, and
/// hands them over.
struct way_reader : std::enable_shared_from_this<way_reader> {
  store_port* store;
  learn what;
  std::vector<skill_claim> claims;
  std::size_t verdicts = 0; ///< read
  std::vector<proven_step> steps;
  std::shared_ptr<const node_summary> last;
  std::function<void(way_read)> done;

  void next() {
    if (verdicts < what.claim_verdicts.size())
      return store->read(table::verdicts, what.claim_verdicts[verdicts++],
                         [me = shared_from_this()](result<std::string> bytes) {
                           auto v = bytes ? unpack<verdict>(*bytes) : result<verdict>{bytes.error()};
                           if (auto c = v ? claim_of(*v) : std::nullopt)
                             me->claims.push_back(*std::move(c));
                           me->next();
                         });
    if (steps.size() == what.chain.size())
      return done({std::move(what), std::move(steps), std::move(claims)});
    load_summary(*store, {what.campaign, what.tree, what.chain[steps.size()]}, what.language->syntax,
                 summary_extent::with_source,
                 [me = shared_from_this()](std::shared_ptr<const node_summary> summary) {
                   auto seed = me->what.seeded && me->steps.empty();
                   me->steps.push_back({me->last, summary, me->what.tree, seed});
                   me->last = std::move(summary);
                   me->next();
                 });
  }
};

class skill_learner {
public:
  skill_learner(caf::event_based_actor* self, knowledge_options options)
      : self_{self}, options_{std::move(options)} {
    read();
  }

  void read() {
    options_.store->scan(table::skills, "", "", most_skills,
                         [me = weak(self_)](result<std::vector<std::pair<std::string, std::string>>> rows) {
                           skills_read r;
                           if (rows)
                             for (const auto& [key, bytes] : *rows)
                               if (auto s = unpack<skill>(bytes))
                                 r.all.push_back(std::move(*s));
                           send_weak(me, std::move(r));
                         });
  }

  void wanted(const vector_wanted& w) {
    auto at =
        std::find_if(caches_.begin(), caches_.end(), [&](const auto& d) { return d->server() == *w.server; });
    if (at == caches_.end()) {
      caches_.push_back(std::make_unique<embedding_cache>(
          self_, caches_.size(), *w.server, embedding_cache::services{options_.http, options_.store},
          [this] { options_.shelf->publish(with_vectors(options_.shelf->now())); }));
      at = std::prev(caches_.end());
      (*at)->keep(texts_of(*options_.shelf->now()));
    }
    (*at)->wanted(w);
  }
  embedding_cache& cache(std::size_t number) { return *caches_[number]; }
  study_cache& studies() { return studies_; }

  void known(const skills_read& r) {
    for (const auto& s : r.all)
      if (auto mine = skills_.find(s.id); mine == skills_.end())
        skills_[s.id] = s;
      else
        mine->second = merged(mine->second, s);
    if (!skills_.empty()) // else the library is as it was written
      publish();
  }

  void read_lineage(const learn& l) {
    auto reader = std::make_shared<way_reader>();
    reader->store = options_.store;
    reader->what = l;
    reader->done = [me = weak(self_)](way_read w) { send_weak(me, std::move(w)); };
    reader->next();
  }

  void distil_way(const way_read& w) {
    distil_context where{
        options_.store_id, w.what.campaign_name, w.what.problem.get(), w.what.language.get(), {}, w.claims};
    if (w.what.target)
      where.targets = {w.what.target->backend}; // a skill is code in its language
    store_batch batch;
    for (auto& s : distil(w.steps, where)) {
      auto at = std::find_if(skills_.begin(), skills_.end(), [&](const auto& known) {
        return known.second.id == s.id || are_alike(known.second, s);
      });
      if (at == skills_.end()) {
        at = skills_.emplace(s.id, s).first;
        log::info("knowledge", "learnt a skill", {{"skill", s.id}});
      } else {
        auto id = at->first;
        at->second = merged(at->second, s);
        at->second.id = id; // rows keep their key
      }
      batch.put(table::skills, at->first, pack(at->second));
    }
    if (batch.puts.empty()) {
      if (w.what.done)
        w.what.done();
      return;
    }
    options_.store->write(std::move(batch), [done = w.what.done](status) {
      if (done)
        done();
    });
    publish();
  }

  void used(const skills_used& u) {
    if (u.ids.empty()) {
      if (!u.repairs)
        ++(u.won ? plain_.wins : plain_.losses);
      return;
    }
    store_batch batch;
    bool changed = false;
    for (const auto& id : u.ids)
      if (auto s = skills_.find(id); s != skills_.end() && s->second.failure.empty() != u.repairs) {
        auto before = is_quarantined(uses_of(s->second), usefulness(plain_));
        note_use(s->second, options_.store_id, u.won);
        changed = changed || before != is_quarantined(uses_of(s->second), usefulness(plain_));
        batch.put(table::skills, id, pack(s->second));
      }
    options_.store->write(std::move(batch));
    if (changed)
      publish();
  }

private:
  void publish() {
    auto documents = options_.written->documents();
    for (const auto& [id, s] : skills_)
      if (!is_quarantined(uses_of(s), usefulness(plain_)))
        documents.push_back(document_of(s));
    auto next = std::make_shared<const corpus>(std::move(documents));
    options_.shelf->publish(with_vectors(next));
    if (auto texts = caches_.empty() ? std::vector<std::string>{} : texts_of(*next); !texts.empty())
      for (auto& d : caches_)
        d->keep(texts);
  }

  static std::vector<std::string> texts_of(const corpus& documents) {
    std::vector<std::string> texts;
    for (const auto& d : documents.documents())
      texts.push_back(text_to_embed(d));
    return texts;
  }

  /// The documents with what each server has made of them so far, once it has had all of a round.
  library_snapshot with_vectors(std::shared_ptr<const corpus> documents) const {
    library_snapshot all{std::move(documents), {}};
    for (const auto& d : caches_)
      if (d->ready()) {
        auto& vectors = all.vectors.emplace_back(d->server(), std::vector<embedding>{}).second;
        for (const auto& text : texts_of(*all.documents)) {
          const auto* known = d->of_document(text);
          vectors.push_back(known ? *known : embedding{});
        }
      }
    return all;
  }

  caf::event_based_actor* self_;
  knowledge_options options_;
  std::map<std::string, skill> skills_;
  std::vector<std::unique_ptr<embedding_cache>> caches_;
  study_cache studies_{self_, options_.names, options_.store, options_.shelf};
  skill_use plain_; ///< improvements that were shown no skill: what gains without any
};

} // namespace

caf::behavior knowledge(caf::event_based_actor* self, knowledge_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<skill_learner>(self, std::move(options));
  self->set_down_handler([=](caf::down_msg& msg) { state->studies().down(msg); });
  handlers_of handlers{
      addresses::knowledge,
      [=](const skills_read& r) { state->known(r); },
      [=](const learn& l) { state->read_lineage(l); },
      [=](const way_read& w) { state->distil_way(w); },
      [=](const skills_used& u) { state->used(u); },
      [=](const skills_changed&) { state->read(); },
      [=](const vector_wanted& w) { state->wanted(w); },
      [=](vectors_read& r) { state->cache(r.cache).read(r); },
      [=](embeddings_came& e) { state->cache(e.cache).came(e); },
      [=](const embeddings_again& a) { state->cache(a.cache).again(); },
      [=](study_wanted& w) { state->studies().wanted(w); },
      [=](const study_read& r) { state->studies().read(r); },
      [=](const study_over& o) { state->studies().over(o); },
  };
  return handlers.behavior();
}

} // namespace ke
