#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ke {

enum class listing_kind : std::uint8_t { assembly, sass, ptx };

/// A listing's instructions without what moves when others come and go: addresses, encodings, offsets of jumps and
/// of data beside the code, numbers of labels, places in sources, padding. Of two listings so, only the instructions differ.
///   assembly   `objdump -d`
///   sass       `cuobjdump -sass`
///   ptx        NVIDIA's compilers
/// The text is untrusted; any text has a result. Pure.
std::string instructions_of(std::string_view listing, listing_kind kind);

} // namespace ke
