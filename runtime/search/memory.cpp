#include "runtime/search/memory.hpp"

namespace ke {

memory_kind choose_memory(memory_kind setting, operation_kind operation, const tree_row& parent,
                          const stagnation& s) {
  if (operation == operation_kind::draft)
    return memory_kind::clean;
  if (setting != memory_kind::adaptive)
    return setting;
  if (operation == operation_kind::fix)
    return memory_kind::parent;
  if (s.finished_since_best >= stagnation_window && s.chosen_since_clean + 1 >= restart_interval)
    return memory_kind::clean;
  return parent.visits > 1 ? memory_kind::parent_siblings : memory_kind::parent;
}

} // namespace ke
