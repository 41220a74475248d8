#include "runtime/store/store_queue.hpp"

#include <algorithm>
#include <utility>

namespace ke {

bool writes_row(const store_batch& batch, table where, std::string_view key) {
  auto same = [&](const auto& row) { return row.where == where && row.key == key; };
  return std::any_of(batch.puts.begin(), batch.puts.end(), same) ||
         std::any_of(batch.erases.begin(), batch.erases.end(), same);
}

bool writes_rows(const store_batch& batch, table where, std::string_view prefix) {
  if (where == table::journal && !batch.journal.empty())
    return true;
  if ((where == table::blobs || where == table::digests) && !batch.blobs.empty())
    return true;
  auto within = [&](const auto& row) { return row.where == where && row.key.starts_with(prefix); };
  return std::any_of(batch.puts.begin(), batch.puts.end(), within) ||
         std::any_of(batch.erases.begin(), batch.erases.end(), within);
}

bool writes_blob(const store_batch& batch, std::string_view digest) {
  return std::any_of(batch.blobs.begin(), batch.blobs.end(),
                     [&](const auto& blob) { return blob.first == digest; });
}

void store_queue::add(store_operation op) {
  awaited_ += op.is_awaited();
  awaited_batches_ += op.is_awaited() && op.batch;
  bytes_ += op.bytes;
  operations_.push_back(std::move(op));
}

void store_queue::leaves(const store_operation& op) {
  awaited_ -= op.is_awaited();
  awaited_batches_ -= op.is_awaited() && op.batch;
  bytes_ -= op.bytes;
}

std::deque<store_operation> store_queue::take(bool all) {
  return !all && bytes_ < unawaited_bytes && only_independent_questions_wait() ? take_questions()
                                                                               : take_group();
}

bool store_queue::only_independent_questions_wait() const {
  if (awaited_batches_ > 0)
    return false;
  for (std::size_t i = 0; i < operations_.size(); ++i)
    if (const auto& asked = operations_[i]; !asked.batch)
      for (std::size_t before = 0; before < i; ++before)
        if (const auto& b = operations_[before].batch; b && asked.question.touches(*b))
          return false;
  return true;
}

std::deque<store_operation> store_queue::take_questions() {
  std::deque<store_operation> questions, batches;
  for (auto& op : operations_)
    (op.batch ? batches : questions).push_back(std::move(op));
  operations_ = std::move(batches);
  for (const auto& op : questions)
    leaves(op);
  return questions;
}

std::deque<store_operation> store_queue::take_group() {
  std::deque<store_operation> group;
  for (std::size_t bytes = 0;
       !operations_.empty() && group.size() < group_operations && bytes < group_bytes;) {
    bytes += operations_.front().bytes;
    leaves(operations_.front());
    group.push_back(std::move(operations_.front()));
    operations_.pop_front();
  }
  return group;
}

} // namespace ke
