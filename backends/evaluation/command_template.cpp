#include "backends/evaluation/command_template.hpp"

#include "backends/evaluation/machine_files.hpp"

#include <algorithm>

namespace ke {

void template_words::add(const found_files& files) {
  for (const auto& [name, place] : files.places) {
    texts["{file:" + name + "}"] = place.string();
    texts["{folder:" + name + "}"] = place.parent_path().string();
  }
  for (const auto* file : files.absent) {
    absent.push_back("{file:" + file->name + "}");
    absent.push_back("{folder:" + file->name + "}");
  }
}

std::vector<std::string> expanded(const std::vector<std::string>& command, const template_words& words) {
  std::vector<std::string> argv;
  for (auto word : command) {
    if (auto list = words.lists.find(word); list != words.lists.end()) {
      argv.insert(argv.end(), list->second.begin(), list->second.end());
      continue;
    }
    if (std::any_of(words.absent.begin(), words.absent.end(),
                    [&](const auto& name) { return word.find(name) != word.npos; }))
      continue;
    for (const auto& [name, value] : words.texts)
      for (auto at = word.find(name); at != std::string::npos; at = word.find(name, at + value.size()))
        word.replace(at, name.size(), value);
    argv.push_back(std::move(word));
  }
  return argv;
}

bool mentions(const std::vector<std::string>& command, const std::string& text) {
  return std::any_of(command.begin(), command.end(),
                     [&](const auto& word) { return word.find(text) != word.npos; });
}

} // namespace ke
