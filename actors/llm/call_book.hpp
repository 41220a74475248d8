#pragma once

#include "actors/messages/call_messages.hpp"
#include "runtime/core/call_row.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/llm/provider_port.hpp"
#include "runtime/observe/failpoint.hpp"
#include "runtime/store/store_port.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ke {

/// The calls of this process that are not folded yet, with their rows. So a provider's thread can store a
/// paid answer before any actor hears of it, and a restarted actor finds open calls instead of paying twice.
/// Any thread.
class call_book {
public:
  /// The intent is being committed. A call that is out stays out.
  void open(const std::string& call, node_key node, std::uint32_t attempt, call_row row) {
    std::lock_guard lock{mutex_};
    auto& e = calls_[call];
    e.node = node;
    e.attempt = attempt;
    e.row = std::move(row);
  }
  /// The journal has the outcome.
  void close(const std::string& call) {
    std::lock_guard lock{mutex_};
    calls_.erase(call);
  }

  /// It leaves for `provider`, which outlives the call; `returned` follows in any case.
  void leaves(const std::shared_ptr<const synthesis_request>& what, provider_port* provider) {
    std::lock_guard lock{mutex_};
    auto& e = calls_[what->call()];
    e.node = what->node;
    e.attempt = what->attempt;
    e.what = what;
    e.provider = provider;
    e.id = 0;
  }
  /// The provider's number for it.
  void left_as(const std::string& call, std::uint64_t id) {
    std::lock_guard lock{mutex_};
    if (auto c = calls_.find(call); c != calls_.end() && c->second.provider)
      c->second.id = id;
  }
  void returned(const std::string& call) {
    std::lock_guard lock{mutex_};
    if (auto c = calls_.find(call); c != calls_.end()) {
      c->second.provider = nullptr;
      c->second.what = nullptr;
    }
  }
  /// Asks the provider to give it up; it still returns.
  void cancel(const std::string& call) {
    provider_port* provider = nullptr;
    std::uint64_t id = 0;
    {
      std::lock_guard lock{mutex_};
      if (auto c = calls_.find(call); c != calls_.end())
        provider = c->second.provider, id = c->second.id;
    }
    if (provider && id != 0)
      provider->cancel(id);
  }

  enum class whereabouts {
    unknown, ///< of an earlier process: it may have been paid for
    here,    ///< of this process, but no provider has it: it never left, or came back without an answer
    out
  };
  whereabouts find(const std::string& call) const {
    std::lock_guard lock{mutex_};
    auto c = calls_.find(call);
    return c == calls_.end()    ? whereabouts::unknown
           : c->second.provider ? whereabouts::out
                                : whereabouts::here;
  }
  /// As it was opened.
  std::optional<call_row> row(const std::string& call) const {
    std::lock_guard lock{mutex_};
    auto c = calls_.find(call);
    return c == calls_.end() ? std::nullopt : std::optional{c->second.row};
  }
  /// The answer, if it came: for a campaign just read from the store.
  std::optional<std::string> body(const std::string& call) const {
    std::lock_guard lock{mutex_};
    auto c = calls_.find(call);
    return c == calls_.end() ? std::nullopt : c->second.body;
  }
  std::vector<std::shared_ptr<const synthesis_request>> all_out() const {
    std::lock_guard lock{mutex_};
    std::vector<std::shared_ptr<const synthesis_request>> all;
    for (const auto& [call, e] : calls_)
      if (e.provider)
        all.push_back(e.what);
    return all;
  }

  /// The `record` hook of a provider: stores body and row of an answer. Bodies of refused requests (429, 5xx)
  /// are no answers. A cancelled call's part is kept, too: it is never sent again, and this process may be
  /// ending.
  void record(store_port& store, const raw_answer& a) {
    const auto& traits = traits_of(a.provider);
    auto cancelled = a.why.kind == failure_kind::cancelled && traits.billed &&
                     (!traits.remote() || a.status == 0 || a.status == 200);
    if (!cancelled &&
        (a.body.empty() || a.why.kind != failure_kind::none || (a.status != 0 && a.status != 200)))
      return;
    entry e;
    {
      std::lock_guard lock{mutex_};
      auto c = calls_.find(a.call);
      if (c == calls_.end())
        return;
      if (!cancelled)
        c->second.body = a.body;
      e = c->second;
    }
    store_batch batch;
    if (cancelled) {
      if (e.row.prompt_bytes == 0)
        return;
      e.row.outcome = failure_kind::cancelled;
      e.row.sent = a.sent || !traits.remote();
    } else {
      failpoint::pass("llm.answered");
    }
    if (!a.body.empty())
      e.row.reply_digest = batch.blob(a.body);
    e.row.open = false;
    e.row.seconds = a.seconds;
    batch.put(table::calls, key_of(e.node.campaign, e.node.tree, e.node.node, e.attempt), pack(e.row));
    store.write(std::move(batch));
  }

private:
  struct entry {
    node_key node;
    std::uint32_t attempt = 0;
    call_row row;
    std::shared_ptr<const synthesis_request> what; ///< while it is out
    provider_port* provider = nullptr;             ///< while it is out
    std::uint64_t id = 0;                          ///< the provider's; 0: not yet known
    std::optional<std::string> body;               ///< once it is answered
  };
  mutable std::mutex mutex_;
  std::unordered_map<std::string, entry> calls_;
};

} // namespace ke
