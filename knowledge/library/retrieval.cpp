#include "knowledge/library/retrieval.hpp"

#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/stable_order.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace ke {
namespace {

constexpr std::size_t longest_message = 8192;
constexpr std::size_t most_message_words = 96;
constexpr double least_score = 0.05;
constexpr float expansion_weight = 0.25f; ///< the signal itself counts by what documents name

bool holds(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool fits_target(const document& d, const std::vector<std::string>& targets) {
  auto is_one = [&](std::string_view pattern) {
    return std::any_of(targets.begin(), targets.end(),
                       [&](const std::string& name) { return glob_matches(pattern, name); });
  };
  bool fits = targets.empty();
  for (std::string_view pattern : d.targets) {
    if (pattern.starts_with('!') && is_one(pattern.substr(1)))
      return false;
    fits = fits || is_one(pattern);
  }
  return fits;
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Does the text hold the name, whole?
bool holds_name(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    auto end = at + name.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end])))
      return true;
  }
  return false;
}

bool fits_reference(const document& d, const std::string& reference) {
  return d.uses.empty() || reference.empty() ||
         std::any_of(d.uses.begin(), d.uses.end(),
                     [&](const auto& name) { return holds_name(reference, name); });
}

bool fits_dtypes(const document& d, const std::vector<std::string>& dtypes) {
  return d.dtypes.empty() || dtypes.empty() ||
         std::any_of(dtypes.begin(), dtypes.end(), [&](const std::string& t) { return holds(d.dtypes, t); });
}

/// The query's language, if any document names it. Of one that nobody knows, pages about others may still help.
std::string_view known_language(const corpus& in, const signal_query& q) {
  const auto& all = in.documents();
  bool named =
      std::any_of(all.begin(), all.end(), [&](const document& d) { return holds(d.languages, q.language); });
  return named ? std::string_view{q.language} : std::string_view{};
}

bool fits(const document& d, const signal_query& q, std::string_view language) {
  return (d.families.empty() || q.family.empty() || holds(d.families, q.family)) &&
         (d.languages.empty() || language.empty() || holds(d.languages, language)) &&
         fits_dtypes(d, q.dtypes) && fits_target(d, q.targets) && fits_reference(d, q.reference);
}

/// Is it about a machine unknown to the program's own documents? Models may not know it either.
bool about_new_machine(const document& d, const signal_query& q) {
  auto new_and_asked = [&](const std::string& pattern) {
    auto fits_pattern = [&](const std::string& name) { return glob_matches(pattern, name); };
    const auto& known = known_targets();
    return std::any_of(q.targets.begin(), q.targets.end(), fits_pattern) &&
           std::none_of(known.begin(), known.end(), fits_pattern);
  };
  return std::any_of(d.targets.begin(), d.targets.end(), new_and_asked);
}

/// Points for a signal, by what a document says about that kind of signal.
double agreement(std::string_view signal, const std::vector<std::string>& named) {
  if (signal.empty() || named.empty())
    return 0;
  return holds(named, signal) ? 1 : -0.5;
}

double signal_score(const document& d, const signal_query& q) {
  auto score = agreement(q.bottleneck, d.signals.bottleneck) + agreement(q.failure, d.signals.failure);
  const auto &b = d.signals.bottleneck, &f = d.signals.failure;
  const bool message = !q.message.empty(); // whose words may be a failure's
  if ((q.failure.empty() && (!q.bottleneck.empty() || !message) && b.empty() && !f.empty()) ||
      (q.bottleneck.empty() && !q.failure.empty() && f.empty() && !b.empty()))
    score -= 0.5;
  if (!q.family.empty() && !d.families.empty())
    score += 0.8;
  if (!q.dtypes.empty() && !d.dtypes.empty())
    score += 0.2;
  if (!q.targets.empty() && !holds(d.targets, "*"))
    score += 0.1;
  if (holds(d.languages, q.language))
    score += 0.3;
  if (holds(d.signals.cause, q.cause))
    score += 1.5;
  return score + d.prior;
}

} // namespace

std::uint32_t open_level(std::uint32_t depth, bool stalled) {
  std::uint32_t level = depth == 0 ? 1 : depth < 4 ? 2 : 3;
  return std::min(level + (stalled ? 1u : 0u), 3u);
}

std::vector<std::string> targets_of(const device_info& device) {
  const auto& backend = device.backend;
  auto fact = [&](const char* key) {
    auto at = device.facts.find(key);
    return at == device.facts.end() ? std::string_view{} : std::string_view{at->second};
  };
  std::vector<std::string> names;
  if (auto named = fact(device_facts::target); !named.empty())
    names.emplace_back(named);
  else if (fact(device_facts::arch) == "x86-64")
    names.emplace_back(fact(device_facts::isa).find("avx512f") != std::string_view::npos ? "x86-64-avx512"
                       : fact(device_facts::isa).find("avx2") != std::string_view::npos  ? "x86-64-avx2"
                                                                                         : "x86-64");
  if (!backend.empty() && std::find(names.begin(), names.end(), backend) == names.end())
    names.push_back(backend);
  return names;
}

bool is_beside_the_point(const document& d, const signal_query& q) {
  const auto& about = d.signals;
  return q.failure.empty() && !q.bottleneck.empty() && about.bottleneck.empty() && about.cause.empty() &&
         (!about.failure.empty() || !about.message.empty());
}

std::string_view words_behind(std::string_view signal) {
  static constexpr std::pair<std::string_view, std::string_view> all[] = {
      {"memory", "memory bandwidth cache lines bytes traffic reuse blocking locality prefetch streaming"},
      {"compute", "compute throughput arithmetic flops vector simd fma instructions registers unroll ports"},
      {"latency", "latency dependency chain accumulators independent parallelism pipelining interleave"},
      {"occupancy", "occupancy idle threads cores parallel balance warps registers waves split"},
      {"frontend", "frontend instruction branch misprediction code size decode loop unroll cache"},
      {"overhead", "overhead launch call start threads small fuse fusion amortise dispatch"},
      {"incorrect", "wrong result numerics tolerance index tail boundary rounding accumulation"},
      {"nondeterministic", "nondeterministic race order atomics reduction uninitialised synchronisation"},
      {"build_failed", "compile error compiler header declaration symbol link flags type"},
      {"crashed", "crash segmentation fault bounds alignment stack overflow pointer sanitizer"},
      {"timeout", "timeout deadlock endless loop slow barrier complexity"},
      {"resource_exceeded", "memory limit stack shared scratch allocation registers exceeded"},
      {"policy_violation", "policy forbidden library symbol process thread allowed rule"},
      {"cheating_suspected", "honest work inputs cache output constant shortcut timing rule"},
      {"noisy", "noise variance timing measurement jitter repeat frequency stable"},
  };
  for (const auto& [name, words] : all)
    if (name == signal)
      return words;
  return {};
}

std::vector<const document*> admitted(const corpus& in, const signal_query& q) {
  const auto level = q.level ? q.level : open_level(q.depth, q.stalled);
  const auto language = known_language(in, q);
  std::vector<const document*> all;
  for (const auto& d : in.documents())
    if (d.level <= level && (d.kind != document_kind::constraint || q.with_constraints) &&
        fits(d, q, language))
      all.push_back(&d);
  return all;
}

std::vector<retrieved> retrieve(const corpus& in, const signal_query& q, std::size_t limit) {
  const auto& documents = in.documents();
  std::vector<query_word> words;
  std::string_view message{q.message};
  message = message.substr(0, longest_message);
  in.index().add_words(message, 1, most_message_words, words);
  for (const auto& signal : {q.bottleneck, q.failure})
    in.index().add_words(words_behind(signal), expansion_weight, most_message_words, words);
  in.index().add_words(q.family, 1, most_message_words, words);
  std::vector<float> bm25(documents.size()), fragments(documents.size());
  in.index().score(words, bm25);
  if (!message.empty())
    in.index().score_fragments(message, fragments);

  std::vector<retrieved> found;
  float largest = 0;
  for (const auto* d : admitted(in, q)) {
    auto i = static_cast<std::size_t>(d - documents.data());
    auto score = signal_score(*d, q) + (about_new_machine(*d, q) ? 1.4 : 0);
    found.push_back({d, score, bm25[i], fragments[i]});
    largest = std::max(largest, bm25[i]);
  }
  std::erase_if(found,
                [&](const retrieved& r) { return r.message == 0 && is_beside_the_point(*r.document, q); });
  for (auto& r : found) {
    r.words = largest > 0 ? r.words / largest : 0;
    r.score += r.words + 1.5 * r.message;
  }
  std::erase_if(found, [](const retrieved& r) { return r.score <= least_score; });
  auto better = [](const retrieved& a, const retrieved& b) {
    return a.score != b.score ? a.score > b.score : a.document->id < b.document->id;
  };
  limit = std::min(limit, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<long>(limit), found.end(), better);
  found.resize(limit);
  return found;
}

std::vector<const document*> constraints_for(const corpus& in, const signal_query& q) {
  const auto language = known_language(in, q);
  std::vector<const document*> all;
  for (const auto& d : in.documents())
    if (d.kind == document_kind::constraint && fits(d, q, language))
      all.push_back(&d);
  order_stably(all, [](const document* a, const document* b) {
    return a->body.size() < b->body.size(); // ties stay in the order of ids
  });
  return all;
}

} // namespace ke
