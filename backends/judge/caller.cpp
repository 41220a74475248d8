#include "backends/judge/caller.hpp"

#include "backends/evaluation/harness.hpp"
#include "backends/judge/driver_wire.hpp"
#include "backends/judge/inputs.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace ke {
namespace {

constexpr std::size_t line = 64;            ///< tensors begin on a cache line
constexpr std::size_t red_bytes = 192;      ///< on each side
constexpr std::size_t red_pool = 16u << 10; ///< bytes that red zones are parts of
constexpr std::uint32_t spare_per_call = 3; ///< places in vain for each that is used
constexpr std::size_t spare_memory = 16u << 20;
constexpr std::size_t most_glances = 4, midway_bytes = 1024; ///< calls looked at midway, and of a result
constexpr std::size_t most_looked_at = 64u << 10; ///< bytes of a result: read in less time than a stop takes
constexpr std::size_t most_gap = 16;              ///< random lines between two tensors
constexpr std::size_t block_bytes = 16u << 10;    ///< of a write; whole elements of every dtype

std::size_t size_of(const problem& what, std::size_t tensor, std::size_t elements, bool wide) {
  auto d = what.tensors[tensor].dtype;
  return elements * (wide ? wide_bytes(d) : bytes_of(d));
}

std::size_t up(std::size_t n, std::size_t to) {
  return (n + to - 1) / to * to;
}

std::uint64_t scalar_bits(const scalar_spec& s, double value) {
  return s.integer ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : std::bit_cast<std::uint64_t>(value);
}

/// Out of every cache of the machine, so that a timed call finds its data cold.
void evict(const std::byte* from, std::size_t bytes) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < bytes; i += line)
    _mm_clflush(from + i);
  _mm_mfence();
#elif defined(__aarch64__)
  for (std::size_t i = 0; i < bytes; i += line)
    asm volatile("dc civac, %0" ::"r"(from + i) : "memory");
  asm volatile("dsb ish" ::: "memory");
#else
  (void)from;
  (void)bytes;
#endif
}

} // namespace

poison::poison(const problem& what, const std::vector<std::string>& samples, random_source& random)
    : what_{&what}, pool_{samples} {
  for (std::size_t t = 0; t < pool_.size(); ++t) {
    auto d = what.tensors[t].dtype;
    std::size_t n = pool_[t].size() / bytes_of(d);
    for (std::size_t i = 0; i < n; ++i) {
      double value = element(d, pool_[t].data(), i);
      if (is_floating(d))
        set_element(d, pool_[t].data(), i, value * (0.5 + random.uniform()));
    }
  }
}

std::size_t poison::turn(std::size_t tensor, random_source& random) const {
  return random.below(
      std::max<std::size_t>(1, pool_[tensor].size() / bytes_of(what_->tensors[tensor].dtype)));
}

void poison::write(std::size_t tensor, std::size_t turn, std::size_t at, std::size_t whole, std::byte* to,
                   std::size_t bytes, random_source& random) const {
  auto d = what_->tensors[tensor].dtype;
  std::size_t size = bytes_of(d), have = pool_[tensor].size() / size, n = bytes / size;
  if (have == 0 || n == 0)
    return;
  if (whole / size <= 4096) { // few elements: rotation alone would show the same ones again
    for (std::size_t i = 0; i < n; ++i) {
      double value = element(d, pool_[tensor].data(), random.below(have));
      if (d == dtype::boolean)
        value = static_cast<double>(random.next() >> 63);
      else
        value = is_floating(d) ? value * (0.5 + random.uniform())
                               : value + static_cast<double>(random.below(5)) - 2;
      set_element(d, to, i, value);
    }
    return;
  }
  std::size_t written = 0, from = (turn + at / size) % have;
  while (written < n) {
    std::size_t now = std::min(n - written, have - from);
    std::memcpy(to + written * size, pool_[tensor].data() + from * size, now * size);
    written += now;
    from = 0;
  }
}

caller::caller(std::unique_ptr<driver_process> process, const problem& what, bool wide, std::uint64_t key)
    : process_{std::move(process)}, what_{&what}, wide_{wide}, random_{key} {
  red_.resize(red_pool);
  for (auto& c : red_)
    c = static_cast<char>(random_.next());
}

std::size_t caller::memory_for(const problem& what, const bound_shapes& shapes, std::uint32_t slots,
                               bool wide) {
  std::size_t args = 2 * what.tensors.size() + what.scalars.size() + what.dims.size(), slot = 0;
  for (const auto& shape : shapes.shapes)
    args += shape.size();
  for (std::size_t t = 0; t < what.tensors.size(); ++t)
    slot += up(size_of(what, t, shapes.elements[t], wide) + 2 * red_bytes, line) + (most_gap + 1) * line;
  return up(4096 + args * 8 * slots + slot * slots, 4096);
}

std::uint32_t caller::spare_places(const problem& what, const bound_shapes& shapes, std::uint32_t calls) {
  if (calls < 2)
    return 0;
  auto fit = spare_memory / memory_for(what, shapes, 1, false);
  return static_cast<std::uint32_t>(std::min<std::size_t>(std::size_t{spare_per_call} * calls, fit));
}

bool caller::bind(const bound_shapes& shapes, std::uint32_t slots, bool misaligned) {
  std::size_t tensors = what_->tensors.size();
  misaligned_ = misaligned;
  each_s_ = 0;
  bytes_.clear();
  for (std::size_t t = 0; t < tensors; ++t)
    bytes_.push_back(size_of(*what_, t, shapes.elements[t], is_wide(t)));
  value_bits_.clear();
  for (const auto& s : what_->scalars)
    value_bits_.push_back(scalar_bits(s, s.value));
  for (const auto& d : what_->dims)
    value_bits_.push_back(static_cast<std::uint64_t>(shapes.dims.at(d)));
  if (process_->takes_extents()) {
    for (const auto& shape : shapes.shapes)
      for (auto extent : shape)
        value_bits_.push_back(static_cast<std::uint64_t>(extent));
  }
  values_ = 0;
  stay_ = std::max(line, up(value_bits_.size() * 8 * slots, line));
  first_ = up(stay_ + tensors * 8, line);
  std::uint64_t slot = 0;
  for (std::size_t t = 0; t < tensors; ++t)
    slot += up(bytes_[t] + 2 * red_bytes, line) + (most_gap + 1) * line;
  if (first_ + slots * slot > process_->size())
    return false;
  std::uint64_t places = slots;
  if (moving_ && slot != 0)
    places = std::min<std::uint64_t>(slots + spare_places(*what_, shapes, slots),
                                     (process_->size() - first_) / slot);
  offsets_.assign(places, std::vector<std::uint64_t>(tensors));
  copies_.assign(slots, std::vector<std::string>(tensors));
  scatter();
  return true;
}

void caller::scatter() {
  std::vector<std::uint32_t> order(offsets_.size());
  std::iota(order.begin(), order.end(), 0u);
  random_.shuffle(order);
  std::uint64_t next = first_;
  for (auto s : order)
    for (std::size_t t = 0; t < bytes_.size(); ++t) {
      next = up(next + red_bytes, line) + random_.below(most_gap) * line;
      if (std::size_t size = bytes_of(what_->tensors[t].dtype); misaligned_ && !wide_)
        next += (1 + 2 * random_.below(line / size / 2)) * size; // odd: aligned to nothing larger
      offsets_[s][t] = next;
      next += bytes_[t] + red_bytes;
    }
  red_key_ = random_.next();
  fill_red_zones();
}

const char* caller::red_zone_of(std::uint64_t offset, bool behind) const {
  auto x = (offset * 2 + (behind ? 1 : 0)) * 0x9e3779b97f4a7c15u ^ red_key_;
  x = (x ^ (x >> 32)) * 0xd1342543de82ef95u;
  return red_.data() + (x >> 32) % (red_pool - red_bytes);
}

std::vector<std::uint64_t> caller::values_of(const bank_slot& slot) const {
  auto values = value_bits_;
  for (std::size_t s = 0; s < std::min(slot.scalars.size(), what_->scalars.size()); ++s)
    values[s] = scalar_bits(what_->scalars[s], slot.scalars[s]);
  return values;
}

void caller::soil() {
  constexpr std::uint64_t most = 64u << 20; // beyond the tensors of any small shape
  auto end = std::min<std::uint64_t>(process_->size(), first_ + most);
  for (auto to = first_; to + sizeof(std::uint64_t) <= end; to += sizeof(std::uint64_t)) {
    auto word = random_.next();
    std::memcpy(at(to), &word, sizeof word);
  }
  scatter();
}

void caller::fill_red_zones() {
  for (const auto& slot : offsets_)
    for (std::size_t t = 0; t < slot.size(); ++t) {
      std::memcpy(at(slot[t] - red_bytes), red_zone_of(slot[t], false), red_bytes);
      std::memcpy(at(slot[t] + bytes_[t]), red_zone_of(slot[t], true), red_bytes);
    }
}

bool caller::red_zone_whole(std::size_t slot, std::size_t tensor) const {
  auto offset = offsets_[slot][tensor];
  return std::memcmp(at(offset - red_bytes), red_zone_of(offset, false), red_bytes) == 0 &&
         std::memcmp(at(offset + bytes_[tensor]), red_zone_of(offset, true), red_bytes) == 0;
}

void caller::write_decoys(std::span<const bank_slot* const> slots, const poison* rubbish) {
  for (std::size_t s = slots.size(); s < offsets_.size() && !slots.empty(); ++s)
    for (std::size_t t = 0; t < bytes_.size(); ++t) {
      auto* to = at(offsets_[s][t]);
      if (bytes_[t] == 0)
        continue;
      if (what_->tensors[t].role == tensor_role::out) {
        // What lay there before would tell who remembers it that no call is given this place.
        if (rubbish)
          rubbish->write(t, rubbish->turn(t, random_), 0, bytes_[t], to, bytes_[t], random_);
        continue;
      }
      // Those of an order's slot, rotated: no copy, and of the same kind.
      const auto& like = slots[random_.below(slots.size())]->inputs[t];
      std::size_t size = bytes_of(what_->tensors[t].dtype), turn = random_.below(bytes_[t] / size) * size;
      std::memcpy(to, like.data() + turn, bytes_[t] - turn);
      std::memcpy(to + bytes_[t] - turn, like.data(), turn);
    }
}

bool caller::is_wide(std::size_t tensor) const {
  return wide_ && !(keeps_bf16_ && what_->tensors[tensor].dtype == dtype::bf16);
}

void caller::write_wide(std::span<const bank_slot* const> slots) {
  for (std::size_t s = 0; s < slots.size(); ++s)
    for (std::size_t t = 0; t < bytes_.size(); ++t)
      if (what_->tensors[t].role != tensor_role::out) {
        const auto& bytes = slots[s]->inputs[t];
        auto wider = is_wide(t) ? widened(what_->tensors[t].dtype, bytes) : bytes;
        std::memcpy(at(offsets_[s][t]), wider.data(), bytes_[t]);
      }
}

void caller::write_tensors(std::span<const bank_slot* const> slots, const poison* rubbish) {
  struct block {
    std::uint32_t slot, tensor;
    std::size_t from, turn;
  };
  std::vector<block> blocks;
  for (std::uint32_t s = 0; s < slots.size(); ++s)
    for (std::uint32_t t = 0; t < bytes_.size(); ++t) {
      bool out = what_->tensors[t].role == tensor_role::out;
      if (out && !rubbish)
        continue;
      auto turn = out ? rubbish->turn(t, random_) : 0;
      for (std::size_t from = 0; from < bytes_[t]; from += block_bytes)
        blocks.push_back({s, t, from, turn});
    }
  random_.shuffle(blocks);
  for (const auto& b : blocks) {
    auto* to = at(offsets_[b.slot][b.tensor] + b.from);
    auto bytes = std::min(block_bytes, bytes_[b.tensor] - b.from);
    if (what_->tensors[b.tensor].role == tensor_role::out)
      rubbish->write(b.tensor, b.turn, b.from, bytes_[b.tensor], to, bytes, random_);
    else
      std::memcpy(to, slots[b.slot]->inputs[b.tensor].data() + b.from, bytes);
  }
}

std::uint64_t caller::place_of(std::size_t slot, std::size_t tensor, bool may_stay) const {
  std::uint64_t place = offsets_[slot][tensor];
  if (may_stay)
    std::memcpy(&place, at(stay_ + tensor * sizeof place), sizeof place);
  return place;
}

call_order caller::order_of(std::size_t slots) const {
  call_order order;
  order.calls = static_cast<std::uint32_t>(slots);
  order.args = static_cast<std::uint32_t>(what_->tensors.size() + value_bits_.size());
  for (std::size_t s = 0; s < slots; ++s) {
    order.offsets.insert(order.offsets.end(), offsets_[s].begin(), offsets_[s].end());
    for (std::size_t v = 0; v < value_bits_.size(); ++v)
      order.offsets.push_back(values_ + (s * value_bits_.size() + v) * 8);
  }
  return order;
}

std::vector<caller::glance> caller::windows(std::size_t slots) {
  std::vector<glance> parts;
  std::size_t slot = random_.below(2) == 0 ? slots - 1 : random_.below(slots);
  for (std::size_t t = 0; t < bytes_.size(); ++t) {
    if (what_->tensors[t].role == tensor_role::in)
      continue;
    std::size_t size = std::min(bytes_[t], most_looked_at), rest = bytes_[t] - size;
    std::size_t from = random_.below(2) == 0 ? rest : random_.below(rest + 1);
    parts.push_back({slot, t, from, std::string(size, '\0')});
  }
  return parts;
}

void caller::look_at(glance& g, bool may_stay) const {
  auto place = place_of(g.slot, g.tensor, may_stay);
  if (place == offsets_[g.slot][g.tensor] ||
      !process_->read_memory(place + g.from, g.bytes.data(), g.bytes.size()))
    std::memcpy(g.bytes.data(), at(offsets_[g.slot][g.tensor] + g.from), g.bytes.size());
}

std::vector<caller::glance> caller::look_midway(std::uint32_t begun) {
  std::vector<glance> parts;
  for (std::size_t i = 0; begun > 1 && i < most_glances; ++i) {
    std::size_t slot = random_.below(begun - 1);
    for (std::size_t t = 0; t < bytes_.size(); ++t) {
      if (what_->tensors[t].role == tensor_role::in)
        continue;
      std::size_t size = std::min(bytes_[t], midway_bytes), from = random_.below(bytes_[t] - size + 1);
      parts.push_back({slot, t, from, std::string(size, '\0')});
      look_at(parts.back(), false);
    }
  }
  return parts;
}

std::string caller::changed_since(const std::vector<glance>& parts) const {
  std::string name;
  for (const auto& p : parts)
    if (copies_[p.slot][p.tensor].compare(p.from, p.bytes.size(), p.bytes) != 0)
      name = what_->tensors[p.tensor].name;
  return name;
}

std::uint64_t caller::left_from_before() {
  marked_memory memory{[&](std::uint64_t address) { return process_->owns_page(address); },
                       [&](std::uint64_t address, const char* from, std::size_t bytes) {
                         return process_->write_memory(address, from, bytes);
                       }};
  std::uint64_t found = 0;
  for (std::size_t t = 0; t < bytes_.size(); ++t) {
    auto stayed = place_of(0, t, true);
    if (what_->tensors[t].role != tensor_role::out || stayed == offsets_[0][t])
      continue;
    found += history_.filled_before(stayed, bytes_[t]) + marks_.unwritten(stayed, copies_[0][t]);
    marks_.place(memory, what_->tensors[t].dtype, stayed, copies_[0][t], random_);
  }
  return found;
}

caller::outcome caller::run(std::span<const bank_slot* const> slots, const poison* rubbish, bool cold,
                            double limit_s, bool look) {
  std::size_t tensors = what_->tensors.size();
  // Of several calls each may return the same memory, so only the last result could stay.
  bool may_stay = slots.size() == 1 && process_->readable();
  if (may_stay && !wide_ && history_.wants_look()) // before we write what shall be warm in the caches
    history_.look(process_->own_pages());
  for (std::size_t s = 0; s < slots.size() && !value_bits_.empty(); ++s) {
    auto values = values_of(*slots[s]);
    std::memcpy(at(values_ + s * values.size() * 8), values.data(), values.size() * 8);
  }
  if (moving_ && random_.below(2) == 0)
    scatter();
  else if (moving_)
    random_.shuffle(offsets_);
  if (wide_) {
    write_wide(slots);
  } else {
    write_decoys(slots, rubbish); // first: what is called with shall be no colder for them
    write_tensors(slots, rubbish);
  }
  // Where a result may stay, our own memory for it, which we have just written, must be no warmer place than
  // one of theirs.
  auto order = order_of(slots.size());
  if (may_stay) {
    order.stay = stay_;
    std::memcpy(at(stay_), offsets_[0].data(), tensors * 8);
  }
  for (std::size_t s = 0; s < slots.size() && (cold || may_stay); ++s)
    for (std::size_t t = 0; t < tensors; ++t)
      if (cold || what_->tensors[t].role == tensor_role::out)
        evict(at(offsets_[s][t]), bytes_[t]);

  outcome out;
  out.looked_at = look && !slots.empty();
  auto parts = out.looked_at ? windows(slots.size()) : std::vector<glance>{};
  std::vector<glance> ended;
  call_watch watch;
  if (out.looked_at)
    watch.at_answer = [&] {
      for (auto& p : parts)
        look_at(p, may_stay);
    };
  if (slots.size() > 2 && random_.below(2) == 0) { // of either side: it costs some cache lines
    watch.midway_s = random_.uniform() * each_s_ * static_cast<double>(slots.size());
    watch.midway = [&](std::uint32_t begun) { ended = look_midway(begun); };
  }
  out.call = process_->run(order, limit_s, watch);
  if (out.call.end != call_end::done)
    return out;
  if (!slots.empty())
    each_s_ = out.call.ns * 1e-9 / static_cast<double>(slots.size());
  // The process is proven stopped. Outputs are copied first and only the copies are ever looked at.
  for (std::size_t s = 0; s < slots.size(); ++s)
    for (std::size_t t = 0; t < tensors; ++t) {
      if (!red_zone_whole(s, t))
        out.red_zone = what_->tensors[t].name;
      auto stayed = place_of(s, t, may_stay);
      auto dtype = what_->tensors[t].dtype;
      if (what_->tensors[t].role == tensor_role::out && stayed != offsets_[s][t]) {
        out.unwritten += process_->unwritten(stayed, bytes_[t]); // before we read them
        copies_[s][t].resize(bytes_[t]);
        if (process_->read_memory(stayed, copies_[s][t].data(), bytes_[t]))
          continue;
      }
      if (what_->tensors[t].role != tensor_role::in)
        copies_[s][t].assign(reinterpret_cast<const char*>(at(offsets_[s][t])), bytes_[t]);
      else if (!wide_ && std::memcmp(at(offsets_[s][t]), slots[s]->inputs[t].data(), bytes_[t]) != 0)
        out.inputs_changed = what_->tensors[t].name;
      if (wide_ && !is_wide(t))
        copies_[s][t] = widened(dtype, copies_[s][t]);
    }
  out.late = changed_since(parts);
  out.ahead = changed_since(ended);
  if (may_stay && !wide_)
    out.unwritten += left_from_before(); // last: it changes the copies back to what was there
  out.woke = !process_->held();
  return out;
}

} // namespace ke
