#include "knowledge/library/word_index.hpp"

#include "knowledge/library/words.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

template <class F>
void each_field(const document& d, F&& field) {
  field(d.title, word_index::title_weight);
  for (const auto* list : {&d.signals.bottleneck, &d.signals.failure, &d.signals.message, &d.families})
    for (const auto& text : *list)
      field(text, word_index::signal_weight);
  field(d.body, word_index::body_weight);
}

} // namespace

std::uint32_t word_index::term_of(std::string_view word) {
  if (auto found = terms_.find(word); found != terms_.end())
    return found->second;
  auto next = static_cast<std::uint32_t>(terms_.size());
  terms_.emplace(std::string{word}, next);
  return next;
}

word_index::word_index(const std::vector<document>& documents) {
  struct count {
    std::uint32_t document;
    float times;
  };
  std::vector<std::vector<count>> counts; // by term, documents ascending
  std::vector<double> lengths(documents.size());
  double total = 0;
  for (std::uint32_t at = 0; at < documents.size(); ++at) {
    each_field(documents[at], [&](std::string_view text, float weight) {
      each_word(text, [&](std::string_view word) {
        auto term = term_of(word);
        if (term >= counts.size())
          counts.resize(term + 1);
        auto& list = counts[term];
        if (list.empty() || list.back().document != at)
          list.push_back({at, 0});
        list.back().times += weight;
        lengths[at] += weight;
      });
    });
    total += lengths[at];
  }
  auto mean = documents.empty() || total == 0 ? 1.0 : total / static_cast<double>(documents.size());
  auto all = static_cast<double>(documents.size());
  first_.reserve(counts.size() + 1);
  first_.push_back(0);
  for (const auto& list : counts) {
    auto with = static_cast<double>(list.size());
    auto idf = std::log(1 + (all - with + 0.5) / (with + 0.5));
    for (const auto& c : list) {
      auto norm = k1 * (1 - b + b * lengths[c.document] / mean);
      postings_.push_back({c.document, static_cast<float>(idf * c.times * (k1 + 1) / (c.times + norm))});
    }
    first_.push_back(static_cast<std::uint32_t>(postings_.size()));
  }
  file_fragments(documents);
}

void word_index::file_fragments(const std::vector<document>& documents) {
  fragments_of_.resize(terms_.size());
  for (std::uint32_t at = 0; at < documents.size(); ++at)
    for (const auto& text : documents[at].signals.message) {
      std::vector<std::uint32_t> terms;
      each_word(text, [&](std::string_view word) { terms.push_back(term_of(word)); });
      std::sort(terms.begin(), terms.end());
      terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
      for (auto term : terms)
        fragments_of_[term].push_back(static_cast<std::uint32_t>(fragments_.size()));
      if (!terms.empty())
        fragments_.push_back({at, static_cast<std::uint32_t>(terms.size()), lower(text)});
    }
}

void word_index::add_words(std::string_view text, float weight, std::size_t most,
                           std::vector<query_word>& into) const {
  std::size_t added = 0;
  each_word(text, [&](std::string_view word) {
    if (added == most || word.find_first_not_of("0123456789") == word.npos)
      return;
    auto found = terms_.find(word);
    if (found == terms_.end())
      return;
    auto same = [&](const query_word& q) { return q.term == found->second; };
    if (auto known = std::find_if(into.begin(), into.end(), same); known != into.end()) {
      known->weight = std::max(known->weight, weight);
      return;
    }
    into.push_back({found->second, weight});
    ++added;
  });
}

void word_index::score(const std::vector<query_word>& query, std::vector<float>& scores) const {
  for (const auto& q : query)
    for (auto p = first_[q.term]; p < first_[q.term + 1]; ++p)
      scores[postings_[p].document] += q.weight * postings_[p].impact;
}

void word_index::score_fragments(std::string_view message, std::vector<float>& scores) const {
  std::vector<std::uint32_t> seen; // terms of the message
  each_word(message, [&](std::string_view word) {
    if (auto found = terms_.find(word); found != terms_.end())
      seen.push_back(found->second);
  });
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  auto lowered = lower(message);
  std::vector<std::uint32_t> hits(fragments_.size());
  for (auto term : seen)
    for (auto f : fragments_of_[term])
      if (++hits[f] == fragments_[f].words) {
        const auto& one = fragments_[f];
        auto fit = (lowered.find(one.text) != lowered.npos ? 1.0f : 0.6f) * (one.words == 1 ? 0.75f : 1.0f);
        scores[one.document] = std::max(scores[one.document], fit);
      }
}

} // namespace ke
