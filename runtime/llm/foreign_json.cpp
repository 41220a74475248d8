#include "runtime/llm/foreign_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ke {

using json = nlohmann::json;

json document_of(std::string_view text) {
  return json_fault_of(text, foreign_limits) == json_fault::none ? json::parse(text, nullptr, false)
                                                                 : json(json::value_t::discarded);
}

std::string text_of_member(const json& object, const char* name) {
  if (!object.is_object())
    return "";
  auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

const json& member(const json& object, const char* name) {
  static const json nothing;
  if (!object.is_object())
    return nothing;
  auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

double count_of_member(const json& object, const char* name) {
  const auto& x = member(object, name);
  return x.is_number() ? std::clamp(x.get<double>(), 0.0, 1e12) : 0;
}

} // namespace ke
