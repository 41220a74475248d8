#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// One section of a stored prompt. Sections shared by many prompts are blobs; the others stand here.
struct stored_section {
  std::string digest; ///< of the blob; empty: `text` is the section
  std::string text;
  std::string name; ///< its subject; empty in the first stores
};
KE_FIELDS(stored_section, x.digest, x.text, x.name)

/// The sections in the blob of node_row::sections_digest. The first stores had digests only.
result<std::vector<stored_section>> unpack_sections(std::string_view bytes);

} // namespace ke
