#include "runtime/net/handshake.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/text/json_text.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

/// Any bytes as a worker's hello, decoded or as its names: what is admitted can be written strictly.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string text{reinterpret_cast<const char*>(data), size};
  ke::wire::hello_body named;
  named.name = named.program = text;
  named.labels[text] = text;
  named.devices.push_back({text, text, "ok", {{text, text}}});
  auto decoded = ke::wire::decode<ke::wire::hello_body>(text);
  for (auto hello : {named, decoded ? *decoded : ke::wire::hello_body{}}) {
    if (auto no = ke::wire::fault_in(hello)) {
      if (no->retry || !ke::is_plain_text(no->reason, 2000))
        std::abort();
      continue;
    }
    auto document = nlohmann::json{{"name", hello.name}, {"labels", hello.labels}};
    for (const auto& d : hello.devices)
      document[d.name] = d.facts;
    (void)document.dump(); // throws for what is not UTF-8
  }
  return 0;
}
