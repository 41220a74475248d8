#include "backends/judge/process_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <unistd.h>

namespace ke {

memory_use memory_of(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/statm"};
  std::uint64_t space = 0, resident = 0, shared = 0;
  in >> space >> resident >> shared;
  auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {space * page, (resident - std::min(resident, shared)) * page};
}

std::uint64_t proportional_memory_of(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/smaps_rollup"};
  for (std::string word; in >> word;)
    if (std::uint64_t kilobytes = 0; word == "Pss_Anon:" && in >> kilobytes)
      return kilobytes << 10;
  return 0;
}

} // namespace ke
