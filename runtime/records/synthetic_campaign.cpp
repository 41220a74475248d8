#include "runtime/records/synthetic_campaign.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/records/stored_campaign.hpp"
#include "runtime/search/campaign/campaign_fold.hpp"

#include <random>
#include <stdexcept>

namespace ke::cli {
namespace {

/// Random text that compresses as little as minified code: the worst honest case for the store.
std::string payload_text(std::mt19937_64& random, std::size_t size) {
  static constexpr char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-*/=;(){}[] \n";
  std::string text;
  text.reserve(size);
  while (text.size() < size)
    text += letters[random() % (sizeof letters - 1)];
  return text;
}

class writer {
public:
  writer(store_service& store, std::uint32_t id) : store_{store}, store_id_{store.id()}, id_{id} {}

  template <class Record>
  void record(journal_kind kind, const Record& r) {
    if (auto done = fold_.apply(r); !done)
      throw std::runtime_error{done.error().text};
    journal(kind, r);
  }
  template <class Record>
  void journal(journal_kind kind, const Record& r) {
    last_ = {kind, ++clock_, 0, pack(r)};
    ++records_;
    batch_.journal.emplace_back(id_, last_);
    if (batch_.journal.size() >= 1000)
      send();
  }
  void send() { store_.write(std::exchange(batch_, {})); }
  /// As a living campaign does it, so that a resume finds what a kill would have left.
  void image_if_due() {
    if (!image_is_due(records_, imaged_))
      return;
    imaged_ = records_;
    image_ = fold_.image(records_);
    header_ = header_of_image(store_id_, id_, records_, last_);
  }
  void keep_image(const std::string& dir) {
    if (imaged_ == 0)
      return;
    if (auto done = write_image(dir, header_, image_); !done)
      throw std::runtime_error{done.error().text};
  }

  store_batch& batch() { return batch_; }
  campaign_fold& fold() { return fold_; }

private:
  store_service& store_;
  std::string store_id_;
  std::uint32_t id_;
  std::uint64_t clock_ = 0, records_ = 0, imaged_ = 0;
  journal_record last_;
  std::string image_; ///< the latest; earlier ones would only have been overwritten
  image_header header_;
  store_batch batch_;
  campaign_fold fold_;
};

} // namespace

problem synthetic_problem() {
  problem p;
  p.name = "bench";
  p.family = "elementwise";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"small", {{"N", 1024}}, 1.0, false}};
  p.reference_language = "c++";
  p.reference = "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, int64_t N) {\n  for "
                "(int64_t i = 0; i < N; ++i)\n    y[i] = x[i] + 1;\n}\n";
  return p;
}

campaign_settings synthetic_settings(const std::string& store, const std::string& llm,
                                     std::int64_t candidates, std::int64_t parallel) {
  campaign_settings s;
  s.name = "bench";
  s.store = store;
  s.seed = 7;
  s.budget.candidates = candidates;
  s.search.parallel = parallel;
  s.targets = {{"cpu-cpp", "*"}};
  model_settings m;
  m.name = "bench";
  m.provider = provider_kind::openai;
  m.model = "bench";
  m.base_url = llm;
  m.max_parallel = parallel;
  s.models = {m};
  return s;
}

namespace {

/// One candidate's life in the journal, and its row.
void write_node(writer& w, std::uint32_t campaign, const expansion& x, const std::string& source,
                double score) {
  node_row n;
  n.parents = {x.parent};
  n.model = x.model;
  n.memory = x.memory;
  n.state = node_state::correct;
  n.scores = {score};
  n.decision = timing_decision::faster;
  n.attempts = 1;
  n.source_digest = w.batch().blob(source);
  w.record(journal_kind::asked, journal_asked{0, x.node, 1, x.model, n.source_digest, {}});
  w.record(
      journal_kind::replied,
      journal_replied{0, x.node, 1, failure_kind::none, {}, n.source_digest, n.source_digest, {}, false});
  w.record(
      journal_kind::judged,
      journal_judged{0, x.node, 0, verdict_state::correct, timing_decision::faster, score, {}, 0.1, no_node});
  auto key = key_of(campaign, 0, x.node);
  w.batch().put(table::nodes, key, pack(n));
  w.batch().put(table::hot, key, pack(w.fold().trees()[0].row(x.node)));
}

} // namespace

void write_synthetic_campaign(store_service& store, std::uint32_t id, const campaign_settings& settings,
                              std::uint32_t nodes, std::size_t payload, std::uint32_t in_flight) {
  std::mt19937_64 random{settings.seed};
  writer w{store, id};
  campaign_row row;
  row.id = id;
  row.name = settings.name;
  row.state = "running";
  row.settings_digest = w.batch().blob(pack(settings));
  row.problem_digest = w.batch().blob(pack(synthetic_problem()));
  row.trees = {"cpu-cpp"};
  w.batch().put(table::campaigns, key_of(id), pack(row));
  w.record(journal_kind::configured, journal_configured{settings, row.problem_digest, row.trees, KE_VERSION});
  std::uint32_t made = 0;
  while (made < nodes) {
    auto stepped = w.fold().step(0, std::min(in_flight, nodes - made));
    if (!stepped || stepped->first.empty())
      throw std::runtime_error{stepped ? "the policy expands nothing" : stepped.error().text};
    w.journal(journal_kind::stepped, stepped->second);
    for (const auto& x : stepped->first) {
      ++made;
      auto source = payload_text(random, payload);
      auto score = 1.0 + static_cast<double>(random() % 1000) / 500;
      write_node(w, id, x, source, score);
    }
    w.image_if_due();
  }
  w.send();
  store.flush();
  w.keep_image(store.dir());
}

} // namespace ke::cli
