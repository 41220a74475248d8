#pragma once

#include <map>
#include <string>
#include <vector>

namespace ke {

struct found_files;

/// What the words of an argv template stand for: a whole word may become several, a text is put in anywhere.
struct template_words {
  std::map<std::string, std::vector<std::string>> lists; ///< "{flags}" -> words
  std::map<std::string, std::string> texts;              ///< "{output}" -> text
  std::vector<std::string> absent;                       ///< a word that holds one of these is left out

  /// {file:NAME} is the file's place, {folder:NAME} its folder; of an optional one that is not there both are
  /// absent.
  void add(const found_files& files);
};

/// The template with every word replaced. Pure.
std::vector<std::string> expanded(const std::vector<std::string>& command, const template_words& words);

/// Whether a word of the template holds this text.
bool mentions(const std::vector<std::string>& command, const std::string& text);

} // namespace ke
