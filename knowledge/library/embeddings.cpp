#include "knowledge/library/embeddings.hpp"

#include "runtime/core/stable_order.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace ke {
namespace {

using json = nlohmann::json;

constexpr std::size_t longest_text = 2000;
constexpr double rank_offset = 60;
constexpr std::size_t deepest_rank = 50; ///< behind it a rank says nothing any more

std::string cut(std::string text) {
  if (text.size() > longest_text) {
    text.resize(longest_text);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
      text.pop_back(); // never inside of a character
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0)
      text.pop_back();
  }
  return text;
}

/// Not a number if the sizes differ: such a pair is never ranked.
double cosine(const embedding& a, const embedding& b) {
  if (a.size() != b.size())
    return std::nan("");
  // Every document of a library is compared for every prompt: sums side by side, that a processor can
  // overlap.
  constexpr std::size_t lanes = 8;
  float sums[lanes] = {};
  auto whole = a.size() - a.size() % lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l)
      sums[l] += a[i + l] * b[i + l];
  for (auto i = whole; i < a.size(); ++i)
    sums[i - whole] += a[i] * b[i];
  double sum = 0;
  for (auto x : sums)
    sum += x;
  return sum;
}

} // namespace

std::string text_to_embed(const document& d) {
  std::string text = d.title + "\n";
  for (const auto* list : {&d.signals.bottleneck, &d.signals.failure, &d.signals.message, &d.families})
    for (const auto& word : *list)
      text += word + ", ";
  return cut(text + "\n" + d.body);
}

std::string text_to_embed(const signal_query& q) {
  std::string text;
  for (const auto& part : {q.bottleneck, q.failure, q.family})
    if (!part.empty())
      text += part + " " + std::string{words_behind(part)} + "\n";
  for (const auto& t : q.dtypes)
    text += t + " ";
  return cut(text + "\n" + q.message);
}

std::string embedding_request(const std::string& model, const std::vector<std::string>& texts) {
  return json{{"model", model}, {"input", texts}, {"encoding_format", "float"}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

bool is_by_meaning(const corpus& in, const embedding& wanted, const std::vector<embedding>& vectors) {
  return !wanted.empty() && vectors.size() == in.documents().size();
}

std::vector<retrieved> retrieve_mixed(const corpus& in, const signal_query& query, const embedding& wanted,
                                      const std::vector<embedding>& vectors, std::size_t limit) {
  if (!is_by_meaning(in, wanted, vectors))
    return retrieve(in, query, limit);
  auto by_words = retrieve(in, query, deepest_rank);
  struct near {
    const document* of;
    double cosine;
  };
  std::vector<near> by_meaning;
  for (const auto* d : admitted(in, query))
    if (is_beside_the_point(*d, query))
      continue; // by its words it may be to the point
    else if (auto c = cosine(vectors[static_cast<std::size_t>(d - in.documents().data())], wanted);
             !std::isnan(c))
      by_meaning.push_back({d, c});
  order_stably(by_meaning, [](const near& a, const near& b) { return a.cosine > b.cosine; }); // ties: by id
  std::map<const document*, retrieved> mixed; // one array: pointers are in the order of ids
  for (std::size_t i = 0; i < by_words.size(); ++i) {
    auto& r = mixed[by_words[i].document] = by_words[i];
    r.score = 1 / (rank_offset + static_cast<double>(i + 1));
  }
  for (std::size_t i = 0; i < std::min(by_meaning.size(), deepest_rank); ++i) {
    auto& r = mixed[by_meaning[i].of];
    r.document = by_meaning[i].of;
    r.score += 1 / (rank_offset + static_cast<double>(i + 1));
  }
  std::vector<retrieved> all;
  all.reserve(mixed.size());
  for (const auto& [d, r] : mixed)
    all.push_back(r);
  order_stably(all, [](const retrieved& a, const retrieved& b) { return a.score > b.score; });
  all.resize(std::min(limit, all.size()));
  return all;
}

} // namespace ke
