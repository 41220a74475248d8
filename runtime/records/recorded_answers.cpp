#include "runtime/records/recorded_answers.hpp"

#include "runtime/core/call_row.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/store/store_reader.hpp"

#include <map>
#include <memory>
#include <vector>

namespace ke {
namespace {

struct recorded {
  std::optional<store_reader> store;
  std::map<std::string, provider_kind> kinds; ///< by model name
  /// Prompt -> (model, reply digest), in key order.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> by_prompt;

  explicit recorded(const std::string& dir) {
    auto opened = store_reader::open(dir);
    if (!opened) {
      log::error("replay", "the recorded answers can't be read", {{"why", opened.error().text}});
      return;
    }
    store = std::move(*opened);
    if (auto all = store->campaigns())
      for (const auto& c : *all)
        if (auto bytes = store->blob(c.settings_digest))
          if (auto settings = unpack<campaign_settings>(*bytes))
            for (const auto& m : settings->models)
              kinds[m.name] = m.provider;
    (void)store->rows<call_row>(table::calls, "", [&](std::string_view, const call_row& call) {
      if (!call.open && call.outcome == failure_kind::none && !call.reply_digest.empty())
        by_prompt[call.prompt_digest].emplace_back(call.model, call.reply_digest);
      return true;
    });
  }
};

} // namespace

replay_lookup recorded_answers(const std::string& dir) {
  return [dir, cache = std::make_shared<std::unique_ptr<recorded>>()](
             const std::string& prompt, std::uint32_t occurrence) -> std::optional<recorded_answer> {
    if (!*cache)
      *cache = std::make_unique<recorded>(dir);
    auto& r = **cache;
    auto found = r.by_prompt.find(prompt);
    if (!r.store || found == r.by_prompt.end() || occurrence >= found->second.size())
      return std::nullopt;
    const auto& [model, digest] = found->second[occurrence];
    auto body = r.store->blob(digest);
    if (!body)
      return std::nullopt;
    auto kind = r.kinds.find(model);
    return recorded_answer{kind == r.kinds.end() ? provider_kind::spool : kind->second, std::move(*body)};
  };
}

} // namespace ke
