#include "interface/cli/hint.hpp"

#include "runtime/llm/provider.hpp"
#include "runtime/text/hint_text.hpp"

#include <string>

namespace ke::cli {

status check_hint(std::string_view text) {
  auto bad = [](std::string why) { return failure{failure_kind::invalid, "hint: " + std::move(why), false}; };
  if (text.find_first_not_of(" \t\r\n\v\f") == text.npos)
    return bad("the text is empty: say what the model should try");
  if (!valid_utf8(text))
    return bad("the text is not UTF-8: a model could not be sent it");
  if (text.size() > most_hint_bytes)
    return bad("the text has " + std::to_string(text.size()) + " bytes, and a prompt shows at most " +
               std::to_string(most_hint_bytes) + ": shorten it, or give several hints");
  return ok;
}

} // namespace ke::cli
