#pragma once

#include "runtime/text/json_limits.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

// Reading the JSON of a server, which may hold anything. Pure, any thread; nothing here throws for what a
// text or a document holds.

namespace ke {

/// Limits of one object of a server: a plain answer, an event of a stream, an error. Real ones nest six deep
/// and hold a hundred values. A document at the limit takes some 10 MB; a larger text makes none.
inline constexpr json_limits foreign_limits{64, 1u << 16};

/// The document of a text; a discarded one if the text breaks these limits or is no JSON.
nlohmann::json document_of(std::string_view text);

// A member of an object; nothing if there is no object or the member has another type.

const nlohmann::json& member(const nlohmann::json& object, const char* name);
std::string text_of_member(const nlohmann::json& object, const char* name);
double count_of_member(const nlohmann::json& object, const char* name); ///< of tokens, 0 to 1e12

} // namespace ke
