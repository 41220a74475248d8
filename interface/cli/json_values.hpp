#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string_view>

namespace ke::cli {

// What may be missing in a document: null. Pure.

/// A number that is not finite is missing, too: JSON has none.
nlohmann::ordered_json number_or_null(std::optional<double> x);
nlohmann::ordered_json text_or_null(std::string_view text);

} // namespace ke::cli
