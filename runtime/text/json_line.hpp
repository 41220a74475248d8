#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ke {

/// The document as one line of text. Foreign texts (device names, a model's words, paths) may hold any bytes:
/// those that are not UTF-8 become U+FFFD, so this never throws. Every writer of a document uses it or the
/// same error handler (scripts/check_headers.sh).
std::string json_line(const nlohmann::json& document);
std::string json_line(const nlohmann::ordered_json& document);

} // namespace ke
