#pragma once

#include "runtime/core/result.hpp"
#include "runtime/store/store_port.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ke {

class transaction;

/// What is left to do for a caller after the end of the transaction that answered.
using store_answer = std::function<void()>;

/// What a caller asks the store, inside a transaction.
struct store_question {
  /// May be run again if the commit of its transaction fails.
  std::function<store_answer(transaction&, const std::string& dir)> read;
  std::function<void(const failure&)> refuse;
  /// Whether the answer may depend on a batch that is not written yet.
  std::function<bool(const store_batch&)> touches;
};

/// Answers to `touches`: the batch writes this row, a row with this prefix, this blob.
bool writes_row(const store_batch& batch, table where, std::string_view key);
bool writes_rows(const store_batch& batch, table where, std::string_view prefix);
bool writes_blob(const store_batch& batch, std::string_view digest);

/// One entry of the writer's queue: a batch, or a question.
struct store_operation {
  std::optional<store_batch> batch;
  std::function<void(status)> done; ///< of a batch; empty: nobody waits for it
  store_question question;
  std::size_t bytes = 0;

  bool is_awaited() const { return !batch || done; }
};

/// What the writer has to do, in order. A batch that nobody waits for starts no transaction: it goes along
/// with the next one that somebody waits for, so that commits are few and large. Not thread-safe.
class store_queue {
public:
  /// Bounds of one transaction: far below LMDB's limit of dirty pages, and small enough that a callback is
  /// not kept waiting.
  static constexpr std::size_t group_operations = 8192;
  static constexpr std::size_t group_bytes = 64u << 20;
  /// This much is written without waiting for company.
  static constexpr std::size_t unawaited_bytes = 1u << 20;

  void add(store_operation op);
  /// The next group in order of arrival. `all`: batches that nobody waits for, too, though nobody else
  /// comes. Otherwise, where only questions wait and none of them depends on a batch before it, the group is
  /// these questions: they need no commit.
  std::deque<store_operation> take(bool all);

  bool empty() const { return operations_.empty(); }
  std::size_t size() const { return operations_.size(); }
  /// Questions and batches that somebody waits for.
  std::size_t awaited() const { return awaited_; }
  /// Whether it is time for a transaction.
  bool is_due() const { return awaited_ > 0 || bytes_ >= unawaited_bytes; }

private:
  bool only_independent_questions_wait() const;
  std::deque<store_operation> take_questions();
  std::deque<store_operation> take_group();
  void leaves(const store_operation& op);

  std::deque<store_operation> operations_;
  std::size_t awaited_ = 0;         ///< of `operations_`
  std::size_t awaited_batches_ = 0; ///< of `awaited_`
  std::size_t bytes_ = 0;           ///< of `operations_`
};

} // namespace ke
