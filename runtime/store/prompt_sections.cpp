#include "runtime/store/prompt_sections.hpp"

#include "runtime/core/codec.hpp"

#include <utility>

namespace ke {

result<std::vector<stored_section>> unpack_sections(std::string_view bytes) {
  if (auto digests = unpack<std::vector<std::string>>(bytes)) {
    std::vector<stored_section> sections;
    for (auto& d : *digests)
      sections.push_back({std::move(d), {}});
    return sections;
  }
  return unpack<std::vector<stored_section>>(bytes);
}

} // namespace ke
