#pragma once

#include "knowledge/library/corpus.hpp"
#include "runtime/core/device_info.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Facts about a candidate, for its successor's prompt. Empty fields ask for nothing.
struct signal_query {
  std::string bottleneck; ///< of the diagnosis: "memory"
  std::string cause;      ///< of that bottleneck, if the diagnosis names one: "bank_conflicts"
  std::string failure;    ///< verdict state, if the candidate failed: "build_failed"
  std::string message;    ///< of compiler, judge or sanitizer, or the evidence of the diagnosis
  std::string family;     ///< of the problem
  std::vector<std::string> dtypes;
  std::vector<std::string> targets; ///< names of the device's target (targets_of); empty: any
  /// Of candidates ("c++"). Empty, or one that no document names: any.
  std::string language;
  std::string reference; ///< the problem's; empty: it may hold any name
  std::uint32_t depth = 0;
  bool stalled = false;         ///< the search has found nothing better for a while
  std::uint32_t level = 0;      ///< highest level to give; 0: open_level(depth, stalled)
  bool with_constraints = true; ///< false if the prompt has them already (constraints_for)
};

/// A document and the reasons for it. The pointer lives as long as the corpus.
struct retrieved {
  const ke::document* document = nullptr;
  double score = 0;
  double words = 0;   ///< share of the score that came from BM25
  double message = 0; ///< how well its fragments fit the message, 0..1
};

/// How deep the library is open (features.md A38): level 1 for a draft, level 2 for the child of an evaluated
/// node, level 3, the expert's, from depth 4 on. One level more while the search stalls.
std::uint32_t open_level(std::uint32_t depth, bool stalled);

/// How documents may name a device's target: by the fact "target" of the backend's manifest, or by backend
/// and instruction set ("x86-64-avx2"). The backend's own name comes last: it suffices for documents of a new
/// backend.
std::vector<std::string> targets_of(const device_info& device);

/// The documents that pass the index, by id: of this target, language, family, dtype, an open
/// level, and with a name that the reference holds, if they are about one.
std::vector<const document*> admitted(const corpus& in, const signal_query& query);

/// Pages that name failures or messages and no bottleneck are not for a right candidate whose bottleneck is
/// known, unless its message holds one of their fragments.
bool is_beside_the_point(const document& d, const signal_query& query);

/// Two stages. The index drops documents of another target, language, family or dtype, of a closed level, about what the reference does not use, or about failures where
/// there is none (is_beside_the_point). Each of
/// the rest is scored,
///
///   score = bottleneck + 1.5·cause + failure + 1.5·message + 0.8·family + 0.2·dtype + 0.1·target + 0.3·language + prior + words
///
///   bottleneck  1 if the document names it; -0.5 if it names others only
///   cause       1 if the document names it
///   failure     as the bottleneck; -0.5, too, if it is about failures only and the candidate did not fail (a draft has not), or
///               about bottlenecks only and it did
///   message     how well its fragments fit (word_index::score_fragments)
///   family, dtype, target, language: 1 if the document is for certain ones, and this is one of them; 1.4 points more
///               if the target is none of known_targets: what a model can't have learnt comes first
///   words       bm25 of the query's words, over the largest bm25 among the rest: 0..1
///
/// and those above 0.05 are given, best first, equal ones by id; at most `limit`. The query's words are the
/// message's, the family, and, at a quarter of their weight, those behind the bottleneck's or the failure's
/// name (words_behind). The weights are round numbers, from the middle of the range without loss on the
/// labelled set (tests/bench/retrieval_bench). Pure; any thread.
std::vector<retrieved> retrieve(const corpus& in, const signal_query& query, std::size_t limit);

/// Words that a bottleneck or a failure adds to the query: "memory" -> "cache bandwidth ...". Empty for other
/// signals.
std::string_view words_behind(std::string_view signal);

/// The constraints for such a problem, target and language, shortest first, of all levels. They belong into every prompt
/// (A39), whatever the signals.
std::vector<const document*> constraints_for(const corpus& in, const signal_query& query);

} // namespace ke
