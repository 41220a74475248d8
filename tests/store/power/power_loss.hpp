#pragma once

#include "tests/store/power/log_format.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ke::power {

/// What a disk may hold after the power failed at some moment of a log. The model: data that was synced is
/// there. Of what was not, each sector of 512 bytes holds its old content or that of any later write, chosen
/// by the seed; a file is as long as its last sector that arrived, or as it was told to be. Entries of a
/// folder (new files, renames, removals) arrive in their order, and those since its last sync in part. The
/// write under way may be cut anywhere in its sectors, a synced one at any byte.
class power_loss {
public:
  /// Reads a log of the shim. Throws std::runtime_error if it is none.
  explicit power_loss(const std::string& log);

  std::size_t acts() const { return acts_.size(); }
  /// Numbers of `announce` among the first `count` acts.
  std::vector<std::uint64_t> announced(std::size_t count) const;

  /// The files after the first `count` acts, below `folder`, which must be empty.
  void materialise(std::size_t count, unsigned seed, const std::string& folder) const;

private:
  struct one {
    header head;
    std::string name, second;
    std::string_view data;
  };
  std::string bytes_;
  std::vector<one> acts_;
};

} // namespace ke::power
