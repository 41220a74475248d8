#include "runtime/core/hex.hpp"
#include "runtime/net/client_command.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

/// Any bytes as a client's command: refused with a sentence that can be told, or a command that reads back
/// from its own fields.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  auto parsed = ke::parse_command({reinterpret_cast<const char*>(data), size});
  if (!parsed) {
    const auto& why = parsed.error().text;
    if (why.empty() || why.size() > 500 || ke::json_line(nlohmann::json{{"error", why}}).size() < why.size())
      std::abort();
    return 0;
  }
  auto& c = *parsed;
  nlohmann::json fields{{"command", c.act}, {"campaign", c.campaign}, {"node", c.node},
                        {"text", c.text},   {"key", c.key},           {"value", c.value},
                        {"name", c.name},   {"config", c.config},     {"fresh", c.fresh},
                        {"words", c.words}, {"writes", c.writes}};
  fields["problem"] = ke::to_hex(c.problem);
  auto again = ke::parse_command(ke::json_line(fields));
  if (!again || again->act != c.act || again->words != c.words || again->problem != c.problem ||
      again->text != c.text || again->config != c.config || again->fresh != c.fresh)
    std::abort();
  return 0;
}
