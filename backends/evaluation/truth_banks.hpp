#pragma once

#include "runtime/process/unique_fd.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace ke {

/// The file of a problem's bank of truths (backends/judge/truth_bank.hpp): memory without a name.
struct bank_file {
  unique_fd fd;
  std::uint32_t judgements = 0; ///< that it was given to
};

/// Banks of the judges that this process starts, one for each problem, toolchain and machine. A bank serves a hundred
/// judgements; then another with another key takes its place, so that what a search may have learnt from verdicts
/// about its inputs is of no use. Any thread.
class truth_banks {
public:
  /// Of this problem's judgements now; keep it while the judge runs. Null: no memory, and the judge does without.
  std::shared_ptr<bank_file> of(const std::string& identity);

  static constexpr std::uint32_t most_judgements = 100; ///< with one bank
  static constexpr std::size_t most_banks = 3;          ///< that are kept, those used last

private:
  struct entry {
    std::shared_ptr<bank_file> file;
    std::uint64_t used = 0;
  };
  std::mutex mutex_;
  std::map<std::string, entry> banks_; ///< by identity
  std::uint64_t turn_ = 0;
};

} // namespace ke
