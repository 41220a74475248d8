#include "knowledge/library/retrieval.hpp"

#include <cstdlib>

/// Any bytes as a document of the library: read whole or refused with a reason. Then as a tool's message,
/// against itself as the library: scores are numbers, best first.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string text{reinterpret_cast<const char*>(data), size};
  auto parsed = ke::parse_document("guidance/x", "x.md", text);
  if (!parsed.document && parsed.findings.empty())
    std::abort();
  ke::document page;
  page.id = "y";
  page.targets = {"*"};
  page.body = text;
  page.signals.message = {text.substr(0, size / 2)};
  std::vector<ke::document> pages{page};
  if (parsed.document)
    pages.push_back(*parsed.document);
  ke::corpus library{pages};
  ke::signal_query query;
  query.message = text;
  query.level = 3;
  auto found = ke::retrieve(library, query, 9);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(found[i].score > 0) || (i && found[i].score > found[i - 1].score))
      std::abort();
  return 0;
}
