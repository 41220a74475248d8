#pragma once

#include "runtime/text/source_tokens.hpp"

#include <string>
#include <string_view>

namespace ke {

/// Digest of what a source does, whatever it calls its own variables. Equal to `source_digest` where no name
/// is certain to be the source's own, else different from every one. Numbers, texts, types, functions,
/// members, macros, parameters of templates and everything that a name could be seen by from outside count
/// as they stand, so two sources of one form differ in the names of local variables alone, by a one-to-one
/// renaming. A name that is not certain to be local counts, too: equal programs may have different forms,
/// different ones never have the same. Pure; O(text).
std::string form_digest(std::string_view source, const source_syntax& syntax);

} // namespace ke
