#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/types.hpp"
#include "runtime/llm/provider_port.hpp"
#include "runtime/store/store_port.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

namespace ke {

/// The calls that are out, with their rows, so that a provider's thread can hand a paid answer to the store
/// before any actor hears of it. Any thread.
class call_book {
public:
  void open(const std::string& call, node_key node, std::uint32_t attempt, call_row row) {
    std::lock_guard lock{mutex_};
    calls_[call] = {node, attempt, std::move(row)};
  }
  void close(const std::string& call) {
    std::lock_guard lock{mutex_};
    calls_.erase(call);
  }

  /// The `record` hook of a provider: stores body and row of an answer. Bodies of refused requests (429, 5xx)
  /// are not answers.
  void record(store_port& store, const raw_answer& a) {
    if (a.body.empty() || a.why.kind != failure_kind::none || (a.status != 0 && a.status != 200))
      return;
    entry e;
    {
      std::lock_guard lock{mutex_};
      auto c = calls_.find(a.call);
      if (c == calls_.end())
        return;
      e = c->second;
    }
    store_batch batch;
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
  };
  std::mutex mutex_;
  std::unordered_map<std::string, entry> calls_;
};

} // namespace ke
