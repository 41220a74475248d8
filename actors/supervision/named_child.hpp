#pragma once

#include "actors/supervision/directory.hpp"
#include "actors/supervision/supervisor.hpp"

#include <memory>

namespace ke {

/// A child that is in the directory under its address whenever it lives: `spawn(supervisor)` gives its handle
/// at each start.
template <class Spawn>
child_spec named_child(std::shared_ptr<directory> names, const address<>& at, Spawn spawn) {
  child_spec spec;
  spec.name = at.name().text();
  spec.start = [names, at, spawn](caf::event_based_actor* self) {
    return names->start(at, [&] { return spawn(self); });
  };
  return spec;
}

} // namespace ke
