#pragma once

#include "runtime/process/unique_fd.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ke {

/// What the reference of one problem has answered, kept from one judgement to the next: a file without a name, made
/// by who starts the judges (backends/evaluation/truth_banks.hpp), which no sandbox is given. All inputs come from
/// its key, so a later judgement asks the same again. Judges may share it at the same time. One thread.
///
/// The file: the key, the end of what is whole, its room, then records: name, bytes, payload. Written under a lock; a judge
/// that is killed while it writes leaves what lies before the end as it was.
class truth_bank {
public:
  /// `file`: a descriptor, empty or written by other judges; closed at the end. Without one that can be used it
  /// keeps nothing, and the key is drawn anew.
  /// `room`: bytes of an empty file, once and for all who use it.
  explicit truth_bank(int file = -1, std::uint64_t room = usual_room());

  /// As this machine's free memory allows: of large tensors a few truths are hundreds of MB.
  static std::uint64_t usual_room();

  bool keeps() const { return file_.get() >= 0; }
  /// Of all inputs, shapes and weights that a judgement draws.
  std::uint64_t key() const { return key_; }

  /// Whether an answer of so many bytes may be kept: no copies are made for a bank that is full. The last part is left to
  /// what is small and was dear to find out, and half of it to answers that are not large: without them all a process of the
  /// reference is started for the few that are missing.
  bool has_room(std::size_t bytes) const {
    auto most = bytes > room_ / 16 ? room_ / 2 : room_ - for_findings;
    return keeps() && !for_once_ && seen_ + bytes <= most;
  }
  /// While one lives, there is room for no answer: they are asked for a finding that is kept itself.
  class answers_for_once {
  public:
    explicit answers_for_once(truth_bank& bank) : bank_{bank}, before_{std::exchange(bank.for_once_, true)} {}
    ~answers_for_once() { bank_.for_once_ = before_; }
    answers_for_once(const answers_for_once&) = delete;
    answers_for_once& operator=(const answers_for_once&) = delete;

  private:
    truth_bank& bank_;
    bool before_;
  };
  /// The record of this name; nothing: there is none, or it can't be read.
  std::optional<std::string> find(const std::string& name) const;
  /// Keeps it, unless the bank is full or has one of this name already. A name is a content_name().
  void keep(const std::string& name, std::string_view record);
  /// The same of several records under one name, each read to where it is wanted.
  void keep_all(const std::string& name, std::span<const std::string_view> records);
  std::optional<std::vector<std::string>> find_all(const std::string& name) const;

  static constexpr std::uint64_t least_room = 192u << 20, most_room = std::uint64_t{4} << 30; ///< of any
  static constexpr std::uint64_t for_findings = 4u << 20; ///< of the room, which answers leave

private:
  struct head;
  struct record_head;
  void read_new_records(std::uint64_t end);
  void write_new(const std::string& name, std::span<const std::string_view> parts);

  unique_fd file_;
  std::uint64_t key_ = 0, room_ = 0;
  bool for_once_ = false;
  std::uint64_t seen_ = 0;                                                         ///< of the file, in index_
  std::unordered_map<std::string, std::pair<std::uint64_t, std::uint64_t>> index_; ///< name: offset, bytes
};

} // namespace ke
