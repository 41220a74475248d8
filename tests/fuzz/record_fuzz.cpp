#include "runtime/core/call_row.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/search/campaign/campaign_fold.hpp"
#include "runtime/store/record.hpp"

/// Any bytes as a sealed row, as the rows of the tables, and as a journal record folded into a small
/// campaign: failures, never a crash.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)ke::unseal(ke::table::nodes, "key", bytes);
  (void)ke::unpack<ke::node_row>(bytes);
  (void)ke::unpack<ke::campaign_row>(bytes);
  (void)ke::unpack<ke::call_row>(bytes);
  (void)ke::unpack<ke::verdict>(bytes);
  (void)ke::unpack<ke::evidence>(bytes);
  if (size == 0)
    return 0;
  ke::campaign_fold fold;
  ke::campaign_settings settings;
  settings.targets = {{"cpu-cpp", "*"}};
  settings.models.emplace_back();
  if (!fold.apply(ke::journal_configured{settings, "", {"cpu-cpp"}, ""}) || !fold.step(0, 4))
    return 0;
  ke::journal_record record;
  record.kind = static_cast<ke::journal_kind>(data[0] % ke::names_of<ke::journal_kind>::value.size());
  if (record.kind == ke::journal_kind::stepped)
    return 0; // a count of billions is honest work, not a fault
  record.body.assign(bytes.substr(1));
  (void)fold.apply(record);
  return 0;
}
