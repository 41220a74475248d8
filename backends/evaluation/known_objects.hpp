#pragma once

#include "backends/evaluation/object_file.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/same_object.hpp"
#include "runtime/core/verdict.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ke {

/// A worker's evidence by built object: sources that compile to the same code are measured once per store
/// (another store's nodes mean nothing to it). For the search only; claims are always measured. Forgets the
/// oldest. Not thread-safe.
class known_objects {
public:
  explicit known_objects(std::size_t most = 256) : most_{most} {}

  /// The key of the job's object; empty if it has none.
  static std::string key_of(const job& j, const std::string& device, const std::string& artifact) {
    if (j.plan != measure_plan::rank || artifact.empty() || j.node.node == 0) // the reference: no candidate
      return {};
    auto object = object_digest(artifact);
    if (object.empty())
      return {};
    return digest_of_parts(
        {j.store, object, j.problem_digest, j.backend, device, j.timed ? "timed" : "untimed"});
  }

  /// Evidence that may not stand for the same code elsewhere is not kept.
  void learn(const std::string& key, const job& j, const problem& what, const evidence& found) {
    if (key.empty() || found.provenance.contains(same_object_as))
      return;
    auto before = known_.find(key);
    if (before != known_.end() && !is_of(j, before->second))
      return;
    if (!holds_elsewhere(verdict_of(found, what, j.plan).state))
      return;
    if (before == known_.end() && order_.size() == most_) {
      known_.erase(order_.front());
      order_.pop_front();
    }
    auto& kept = known_[key] = found;
    kept.artifacts.clear(); // of the node that was measured: others of this code are many
    kept.provenance[same_object_as] = text_of_node(j.node);
    kept.provenance[provenance_keys::measured_candidate] = j.source_digest;
    if (before == known_.end())
      order_.push_back(key);
  }

  /// Known evidence, as that of this job's candidate; null: none, or it is of this very node, which is to be measured
  /// again.
  std::shared_ptr<evidence> find(const std::string& key, const job& j) const {
    auto k = known_.find(key);
    if (k == known_.end() || is_of(j, k->second))
      return nullptr;
    auto found = std::make_shared<evidence>(k->second);
    found->provenance[provenance_keys::candidate] = j.source_digest;
    return found;
  }

private:
  static bool is_of(const job& j, const evidence& kept) {
    return kept.provenance.at(same_object_as) == text_of_node(j.node);
  }

  std::size_t most_;
  std::map<std::string, evidence> known_;
  std::deque<std::string> order_;
};

} // namespace ke
