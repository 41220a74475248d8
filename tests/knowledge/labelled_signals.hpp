#pragma once

#include "knowledge/library/retrieval.hpp"
#include "tests/places.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace ke::test {

/// A query and the documents that an engineer would want for it.
struct labelled_signal {
  std::string name;
  std::string group; ///< what the query is mainly about: its bottleneck or failure
  signal_query query;
  std::vector<std::string> relevant;
  bool held_out = false; ///< weights and pages are never changed in view of it
};

/// All machines' in one file of the source tree; a file of GPUs' alone, whose target and language are given here.
inline constexpr const char* signals_of_all = "labelled_signals.json";
inline constexpr const char* signals_of_gpus = "labelled_gpu_signals.json";

inline std::vector<labelled_signal> labelled_signals(const std::string& file = signals_of_all) {
  std::ifstream in{std::string{source_dir()} + "/tests/knowledge/" + file};
  const std::string target_of_all = file == signals_of_gpus ? "nvidia-h200" : "";
  std::vector<labelled_signal> all;
  for (const auto& entry : nlohmann::json::parse(in)) {
    labelled_signal l;
    l.name = entry.at("name");
    l.relevant = entry.at("relevant").get<std::vector<std::string>>();
    const auto& s = entry.at("signals");
    auto& q = l.query;
    q.bottleneck = s.value("bottleneck", "");
    q.cause = s.value("cause", "");
    q.failure = s.value("failure", "");
    q.message = s.value("message", "");
    l.held_out = entry.value("held_out", false);
    q.language = entry.value("language", "");
    if (std::string target = entry.value("target", target_of_all); !target.empty())
      q.targets = {target};
    q.family = entry.value("family", "");
    if (auto d = s.find("dtype"); d != s.end())
      q.dtypes = d->is_array() ? d->get<std::vector<std::string>>() : std::vector<std::string>{*d};
    // A diagnosed or failed candidate has a parent's depth.
    q.depth = s.value("depth", q.bottleneck.empty() && q.failure.empty() && q.message.empty() ? 0u : 1u);
    l.group = !q.failure.empty() ? q.failure : !q.bottleneck.empty() ? q.bottleneck : "message";
    all.push_back(std::move(l));
  }
  return all;
}

struct retrieval_quality {
  double recall = 0; ///< of five: found relevant ones / min(5, relevant ones)
  double reciprocal_rank = 0;
};

/// Sums over queries.
struct quality_sum {
  double recall = 0, reciprocal_rank = 0;
  int of = 0;
  void add(const retrieval_quality& m) {
    recall += m.recall;
    reciprocal_rank += m.reciprocal_rank;
    ++of;
  }
  double mean_recall() const { return recall / std::max(1, of); }
  double mean_reciprocal_rank() const { return reciprocal_rank / std::max(1, of); }
};

inline retrieval_quality measure(const corpus& c, const labelled_signal& l) {
  retrieval_quality m;
  auto found = retrieve(c, l.query, 50);
  auto wanted = [&](const retrieved& r) {
    return std::find(l.relevant.begin(), l.relevant.end(), r.document->id) != l.relevant.end();
  };
  for (std::size_t i = 0; i < found.size(); ++i)
    if (wanted(found[i])) {
      if (m.reciprocal_rank == 0)
        m.reciprocal_rank = 1.0 / static_cast<double>(i + 1);
      m.recall += i < 5;
    }
  m.recall /= static_cast<double>(std::max<std::size_t>(1, std::min<std::size_t>(5, l.relevant.size())));
  return m;
}

} // namespace ke::test
