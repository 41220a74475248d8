#include "knowledge/prompt/node_summaries.hpp"

#include "knowledge/prompt/node_summary.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/store/store_port.hpp"
#include "runtime/text/source_text.hpp"

namespace ke {
namespace {

constexpr std::size_t summary_log_limit = 4096; ///< of a failure's text in a later prompt

std::string first_line(const std::string& text) {
  return text.substr(0, std::min<std::size_t>(text.find('\n'), 400));
}

} // namespace

std::shared_ptr<const node_summary> make_summary(std::uint32_t node, node_state state, std::string source,
                                                 std::string source_digest, std::string plan,
                                                 const verdict* found) {
  auto summary = std::make_shared<node_summary>();
  summary->node = node;
  summary->state = state;
  summary->source = std::move(source);
  summary->source_digest = std::move(source_digest);
  summary->plan = std::move(plan);
  if (found) {
    summary->decision = found->decision;
    summary->score = found->score;
    summary->reason = first_line(found->reason);
    if (found->state != verdict_state::correct)
      summary->log = found->log.substr(0, summary_log_limit);
    summary->first_failure = found->first_failure;
    summary->timing = found->timing;
    summary->diagnosis = found->diagnosis;
  }
  return summary;
}

void load_summary(store_port& store, node_key node, const source_syntax& syntax, summary_extent extent,
                  std::function<void(std::shared_ptr<const node_summary>)> done) {
  store.read(
      table::nodes, key_of(node.campaign, node.tree, node.node), [=, &store](result<std::string> bytes) {
        auto row = bytes ? unpack<node_row>(*bytes) : result<node_row>{bytes.error()};
        if (!row)
          return done(nullptr);
        auto finish = [=, &store, row = *row](std::string source) {
          auto normalised =
              extent == summary_extent::with_source ? source_digest(source, syntax) : std::string{};
          if (row.verdict_digests.empty() || row.verdict_digests[0].empty())
            return done(make_summary(node.node, row.state, std::move(source), normalised, row.note, nullptr));
          store.read(table::verdicts, row.verdict_digests[0], [=](result<std::string> packed) {
            auto found = packed ? unpack<verdict>(*packed) : result<verdict>{packed.error()};
            done(make_summary(node.node, row.state, source, normalised, row.note, found ? &*found : nullptr));
          });
        };
        if (row->source_digest.empty() || extent == summary_extent::outcome)
          return finish({});
        store.read_blob(row->source_digest, [=](result<std::string> source) {
          source ? finish(std::move(*source)) : done(nullptr);
        });
      });
}

void summary_cache::put(std::shared_ptr<const node_summary> summary) {
  if (auto i = at_.find(summary->node); i != at_.end())
    order_.erase(i->second);
  order_.push_front(summary);
  at_[summary->node] = order_.begin();
  if (order_.size() > most_) {
    at_.erase(order_.back()->node);
    order_.pop_back();
  }
}

std::shared_ptr<const node_summary> summary_cache::find(std::uint32_t node) {
  auto i = at_.find(node);
  if (i == at_.end())
    return nullptr;
  order_.splice(order_.begin(), order_, i->second);
  return *i->second;
}

} // namespace ke
