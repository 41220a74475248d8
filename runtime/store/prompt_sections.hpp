#pragma once

#include "runtime/core/codec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// One section of a stored prompt: one that many prompts share is a blob of its own, the others stand here.
struct stored_section {
  std::string digest; ///< of the blob; empty: `text` is the section
  std::string text;
  std::string name; ///< what it is about; empty in the first stores
};
KE_FIELDS(stored_section, x.digest, x.text, x.name)

/// The sections in a blob that node_row::sections_digest names. The first stores had digests only.
inline result<std::vector<stored_section>> unpack_sections(std::string_view bytes) {
  if (auto digests = unpack<std::vector<std::string>>(bytes)) {
    std::vector<stored_section> sections;
    for (auto& d : *digests)
      sections.push_back({std::move(d), {}});
    return sections;
  }
  return unpack<std::vector<stored_section>>(bytes);
}

} // namespace ke
