// Memory of packed panels: stands after lanes.h at the beginning of the candidates that have them. The build embeds
// this file (panel_prelude), tests/playbook/panel_store_test.cpp compiles it.
#include <cstdint>
#include <memory>
#include <new>
namespace {

struct ke_panel_delete {
  void operator()(void* panels) const { ::operator delete(panels, std::align_val_t{64}); }
};

// Room for so many elements, on cache lines of its own; 64 more lie behind them, which a vector may touch.
template <class T>
std::unique_ptr<T, ke_panel_delete> ke_panel_room(int64_t count) {
  void* room = ::operator new(static_cast<std::size_t>(count + 64) * sizeof(T), std::align_val_t{64});
  return std::unique_ptr<T, ke_panel_delete>{static_cast<T*>(room)};
}

// A panel has `steps` rows of `size` elements: zeros in each behind the first `used`.
template <class T>
void ke_panel_zeros(T* panel, int64_t steps, int64_t size, int64_t used) {
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t c = used; c < size; ++c)
      panel[step * size + c] = 0;
}

} // namespace
