#include "knowledge/library/words.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <unordered_set>

namespace ke {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
/// Bytes of UTF-8 sequences count as letters: a word in another script stays one word.
bool is_word_char(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<std::uint8_t>(c) >= 0x80;
}

bool has_vowel(std::string_view word) {
  return word.find_first_of("aeiouy") != word.npos;
}

/// Words that say nothing about a text's subject. What carries an error's meaning stays ("no", "not").
bool is_stop_word(std::string_view word) {
  static const std::unordered_set<std::string_view> all{
      "a",    "an",    "and",  "are",   "as",   "at",   "be",    "been", "but",   "by",    "can",   "do",
      "does", "for",   "from", "had",   "has",  "have", "he",    "here", "how",   "i",     "if",    "in",
      "into", "is",    "it",   "its",   "may",  "more", "most",  "of",   "on",    "one",   "or",    "our",
      "so",   "some",  "such", "than",  "that", "the",  "their", "them", "then",  "there", "these", "they",
      "this", "those", "to",   "was",   "we",   "were", "what",  "when", "where", "which", "while", "who",
      "why",  "will",  "with", "would", "you",  "your", "it's",  "also", "each",  "every", "only",  "very"};
  return all.contains(word);
}

bool all_digits(std::string_view word) {
  return std::all_of(word.begin(), word.end(), is_digit);
}

/// Where `word` (with underscores or humps) falls into parts; the whole is not among them.
template <class F>
void each_part(std::string_view word, F&& take) {
  std::size_t from = 0;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    bool hump = i > from && i < word.size() && word[i] >= 'A' && word[i] <= 'Z' && word[i - 1] >= 'a' &&
                word[i - 1] <= 'z';
    if (i == word.size() || word[i] == '_' || hump) {
      if (i - from >= 2)
        take(word.substr(from, i - from));
      from = hump ? i : i + 1;
    }
  }
}

bool composed(std::string_view word) {
  for (std::size_t i = 1; i < word.size(); ++i)
    if (word[i] == '_' || (word[i] >= 'A' && word[i] <= 'Z' && word[i - 1] >= 'a' && word[i - 1] <= 'z'))
      return true;
  return false;
}

} // namespace

std::string lower(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string stem(std::string_view word) {
  std::string w{word};
  if (w.size() < 4 || std::any_of(w.begin(), w.end(), is_digit) || w.find('_') != w.npos)
    return w;
  auto cut = [&](std::size_t n) { w.resize(w.size() - n); };
  if (w.ends_with("ies") && w.size() > 4) {
    cut(3);
    w += 'y';
  } else if (w.ends_with("sses") || w.ends_with("ches") || w.ends_with("shes") || w.ends_with("xes")) {
    cut(2);
  } else if (w.ends_with('s') && !w.ends_with("ss") && !w.ends_with("us") && !w.ends_with("is") &&
             !w.ends_with("as")) {
    cut(1);
  }
  for (std::string_view ending : {"ing", "ed"})
    if (w.ends_with(ending) && w.size() >= ending.size() + 3 &&
        has_vowel(std::string_view{w}.substr(0, w.size() - ending.size()))) {
      cut(ending.size());
      auto last = w.back();
      if (w.size() > 3 && last == w[w.size() - 2] && last != 'l' && last != 's' && last != 'z')
        cut(1); // mapped: map
      break;
    }
  if (w.size() >= 4 && w.ends_with('e'))
    cut(1);
  for (std::string_view british : {"isation", "is"}) // vectorisation, vectoris(e|ed|ing)
    if (w.size() > british.size() + 4 && w.ends_with(british)) {
      w[w.size() - british.size() + 1] = 'z';
      break;
    }
  if (w.size() > 9 && w.ends_with("ization"))
    cut(5);
  return w;
}

void each_word(std::string_view text, const std::function<void(std::string_view)>& take) {
  auto give = [&](std::string_view word) {
    auto low = lower(word);
    if (low.empty() || is_stop_word(low))
      return;
    if (all_digits(low)) {
      if (low.size() <= 4)
        take(low);
      return;
    }
    take(stem(low));
  };
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_char(text[i])) {
      ++i;
      continue;
    }
    auto from = i;
    while (i < text.size() && is_word_char(text[i]))
      ++i;
    auto word = text.substr(from, i - from);
    if (all_digits(word) && from > 0 && text[from - 1] == ':')
      continue; // a place in a file
    while (word.starts_with('_'))
      word.remove_prefix(1);
    while (word.ends_with('_'))
      word.remove_suffix(1);
    if (word.size() == 1 && !is_digit(word[0]))
      continue; // a variable's name
    give(word);
    if (composed(word))
      each_part(word, give);
  }
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> all;
  each_word(text, [&](std::string_view w) { all.emplace_back(w); });
  return all;
}

} // namespace ke
