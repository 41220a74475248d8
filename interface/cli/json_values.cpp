#include "interface/cli/json_values.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace ke::cli {

using json = nlohmann::ordered_json;

json number_or_null(std::optional<double> x) {
  return x && std::isfinite(*x) ? json(*x) : json(nullptr);
}

json text_or_null(std::string_view text) {
  return text.empty() ? json(nullptr) : json(text);
}

} // namespace ke::cli
