#include "backends/judge/drivers/device_state.hpp"

#include "backends/judge/arena_layout.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <utility>

// Inputs that are mixed on the device, and results that are held against each other there.

namespace ke::on_device {
namespace {

constexpr std::size_t line = 256; ///< between two results that are kept

device_number number_of(dtype d) {
  switch (d) {
  case dtype::f32:
    return device_number::f32;
  case dtype::f16:
    return device_number::f16;
  case dtype::bf16:
    return device_number::bf16;
  case dtype::f64:
    return device_number::f64;
  default:
    return device_number::bytes;
  }
}

/// In chunks, as the device's blocks take them.
void add_parts(std::vector<device_compared>& to, device_compared whole, std::size_t bytes, std::size_t size) {
  for (std::size_t done = 0; done < bytes; done += most_chunk) {
    auto part = whole;
    part.a += done;
    part.b += done;
    part.elements = static_cast<std::uint32_t>(std::min(bytes - done, most_chunk) / size);
    to.push_back(part);
  }
}

} // namespace

result<std::shared_ptr<const driver_pool>> pool(device_state& d, std::string_view bytes) {
  auto memory = d.device->take(bytes);
  if (!memory)
    return memory.error();
  return std::shared_ptr<const driver_pool>{std::make_shared<device_pool>(*std::move(memory))};
}

void mix(device_state& d, const arena_mix& what) {
  note(d, d.arena->mix(what.offset, what.bytes, *static_cast<const device_pool&>(*what.of).memory,
                       what.element_bytes, what.key));
}

status keep(device_state& d, std::span<const result_part> results) {
  auto& kept = d.kept;
  kept.parts.assign(results.begin(), results.end());
  kept.places.clear();
  std::vector<device_arena::range> from;
  std::size_t end = 0;
  for (const auto& part : results) {
    from.push_back({place_of(d, part), part.bytes});
    kept.places.push_back(end);
    end += rounded_up(part.bytes, line);
  }
  if (!kept.room || kept.room->bytes() < end) {
    kept.room.reset();
    auto room = d.device->take(end);
    if (!room)
      return room.error();
    kept.room = *std::move(room);
  }
  return d.arena->copy_out(from, *kept.room, kept.places);
}

void kept(device_state& d, const result_part& part) {
  for (std::size_t i = 0; i < d.kept.parts.size(); ++i)
    if (const auto& whole = d.kept.parts[i];
        whole.call == part.call && whole.tensor == part.tensor && part.from + part.bytes <= whole.bytes)
      return note(d, d.device->read(d.kept.room->at() + d.kept.places[i] + part.from, part.to, part.bytes));
}

std::vector<bool> agree(device_state& usual, device_state& own, std::span<const result_rule> rules) {
  const auto &a = usual.kept, &b = own.kept;
  std::size_t calls = 0;
  for (const auto& part : b.parts)
    calls = std::max<std::size_t>(calls, part.call + std::size_t{1});
  if (a.parts.size() != b.parts.size())
    return std::vector<bool>(calls, false);
  std::vector<device_compared> parts;
  for (std::size_t i = 0; i < b.parts.size(); ++i) {
    const auto& [type, rule] = rules[b.parts[i].tensor];
    bool by_bytes = rule.exact || rule.of_largest || number_of(type) == device_number::bytes;
    add_parts(parts,
              {a.room->at() + a.places[i], b.room->at() + b.places[i], 0, b.parts[i].call,
               by_bytes ? device_number::bytes : number_of(type), rule.larger ? 1u : 0u, rule.relative,
               rule.absolute},
              b.parts[i].bytes, by_bytes ? 1 : bytes_of(type));
  }
  auto same = own.device->agree(parts, calls);
  if (!same)
    note(own, same.error());
  return same ? *std::move(same) : std::vector<bool>(calls, false);
}

} // namespace ke::on_device
