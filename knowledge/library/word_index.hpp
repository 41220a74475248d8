#pragma once

#include "knowledge/library/document.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ke {

/// A word of a query, with its weight.
struct query_word {
  std::uint32_t term = 0;
  float weight = 1;
};

/// The documents' words, filed for BM25 over fields (Robertson, Zaragoza: The Probabilistic Relevance
/// Framework, 2009, section 3.6). A word counts `weight` times in the title, the signals and the body.
///
///   bm25(d, q) = sum over words w of q:  weight(w) · idf(w) · tf·(k1 + 1) / (tf + k1·norm(d))
///   norm(d)    = 1 - b + b·length(d)/mean length
///   idf(w)     = ln(1 + (N - n(w) + 0.5) / (n(w) + 0.5)),  N documents, n(w) of them with w
///
/// All but the sum is worked out when the index is made: a query costs one addition per posting. Immutable.
class word_index {
public:
  static constexpr double k1 = 1.2, b = 0.75;
  static constexpr float title_weight = 4, signal_weight = 2, body_weight = 1;

  explicit word_index(const std::vector<document>& documents);

  /// The words of the text that some document has, each once, the first `most` of them, all with this weight.
  /// Leaves out plain numbers: in messages they are measurements.
  void add_words(std::string_view text, float weight, std::size_t most, std::vector<query_word>& into) const;

  /// Adds bm25 of each document to `scores`, which has one entry per document.
  void score(const std::vector<query_word>& query, std::vector<float>& scores) const;

  /// How well each document's message fragments fit a tool's message: 0 none; 0.6 all words of one are in the
  /// message; 1 one stands there as it is. The largest counts; a fragment of one word counts three quarters.
  void score_fragments(std::string_view message, std::vector<float>& scores) const;

private:
  struct posting {
    std::uint32_t document;
    float impact;
  };
  struct fragment {
    std::uint32_t document;
    std::uint32_t words; ///< different ones
    std::string text;
  };

  std::uint32_t term_of(std::string_view word);
  void file_fragments(const std::vector<document>& documents);

  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, std::uint32_t, hash, std::equal_to<>> terms_;
  std::vector<posting> postings_;
  std::vector<std::uint32_t> first_; ///< of each term's postings; one more than there are terms
  std::vector<fragment> fragments_;
  std::vector<std::vector<std::uint32_t>> fragments_of_; ///< by term
};

} // namespace ke
