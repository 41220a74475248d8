#include "runtime/text/source_text.hpp"

#include <iostream>
#include <string>

/// The digests of many sources, for tests in other languages: reads "LANGUAGE BYTES\n" and so many bytes, as
/// often as they come, and writes a digest in a line for each.
int main() {
  std::ios::sync_with_stdio(false);
  std::string language, source;
  for (std::size_t bytes; std::cin >> language >> bytes && std::cin.get() == '\n';) {
    source.resize(bytes);
    if (!std::cin.read(source.data(), static_cast<std::streamsize>(bytes)))
      return 1;
    auto family = language == "python" ? ke::source_language::python : ke::source_language::cpp;
    std::cout << ke::source_digest(source, family) << '\n';
  }
  return 0;
}
