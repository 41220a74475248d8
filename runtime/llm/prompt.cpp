#include "runtime/llm/prompt.hpp"

#include "runtime/core/digest.hpp"

namespace ke {

std::string text_of(const prompt& p) {
  std::string text;
  text.reserve(bytes_of(p));
  for (const auto& section : p.sections)
    text += section.text.str();
  return text;
}

std::string prompt_key(const prompt& p) {
  std::string text;
  text.reserve(bytes_of(p));
  for (const auto& section : p.sections)
    if (section.name != section_measured)
      text += section.text.str();
  return digest_of(text);
}

std::size_t bytes_of(const prompt& p) {
  std::size_t bytes = 0;
  for (const auto& section : p.sections)
    bytes += section.text.size();
  return bytes;
}

} // namespace ke
