#include "config/campaign_file.hpp"

#include <cstdlib>

/// Any bytes as campaign.toml: errors or settings, never a crash; what was accepted reads back from its own
/// text.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  ke::file_context context{"campaign.toml", "/folder", "/home/user", {}};
  auto load = ke::parse_campaign({reinterpret_cast<const char*>(data), size}, context);
  if (!load.errors.empty())
    return 0;
  auto again = ke::parse_campaign(ke::settings_text(load.settings), context);
  if (!again.errors.empty() || !(again.settings == load.settings))
    std::abort();
  return 0;
}
