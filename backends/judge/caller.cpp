#include "backends/judge/caller.hpp"

#include "backends/evaluation/harness.hpp"
#include "backends/judge/arena_layout.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge/stopwatch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ke {
namespace {

constexpr std::size_t red_pool = 16u << 10; ///< bytes that red zones are parts of
constexpr std::uint32_t spare_per_call = 3; ///< places in vain for each that is used
constexpr std::size_t spare_memory = 16u << 20;
constexpr std::size_t most_glances = 4, midway_bytes = 1024; ///< calls looked at midway, and of a result
constexpr std::size_t most_looked_at = 64u << 10; ///< bytes of a result: read in less time than a stop takes
constexpr std::size_t block_bytes = 16u << 10;    ///< of a write; whole elements of every dtype
constexpr std::size_t row_bytes = 64;             ///< of an input, given when the order begins

std::size_t size_of(const problem& what, std::size_t tensor, std::size_t elements, bool wide) {
  auto d = what.tensors[tensor].dtype;
  return elements * (wide ? wide_bytes(d) : bytes_of(d));
}

/// What picks a tensor's elements: an input's are the same for both processes, rubbish is nobody's.
std::uint64_t key_of(const bank_slot& slot, std::size_t tensor, std::uint64_t own) {
  return (slot.key ^ own) * 0x9e3779b97f4a7c15u + tensor + 1;
}

std::uint64_t scalar_bits(const scalar_spec& s, double value) {
  return s.integer ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : std::bit_cast<std::uint64_t>(value);
}

} // namespace

caller::caller(open_driver driver, const problem& what, bool wide, std::uint64_t key)
    : driver_{std::move(driver)}, what_{&what}, wide_{wide}, wider_(what.tensors.size(), true),
      by_graph_{what.policy.graph_launch && !wide}, random_{key} {
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
    slot += room_for(size_of(what, t, shapes.elements[t], wide));
  return rounded_up(4096 + args * 8 * slots + slot * slots, 4096);
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
  if (seam().takes_extents) {
    for (const auto& shape : shapes.shapes)
      for (auto extent : shape)
        value_bits_.push_back(static_cast<std::uint64_t>(extent));
  }
  values_ = 0;
  stay_ = std::max(arena_line, rounded_up(value_bits_.size() * 8 * slots, arena_line));
  first_ = rounded_up(stay_ + tensors * 8 * slots, arena_line);
  std::uint64_t slot = 0;
  for (auto bytes : bytes_)
    slot += room_for(bytes);
  if (first_ + slots * slot > driver_.size())
    return false;
  std::uint64_t places = slots;
  if (moving_ && slot != 0)
    places = std::min<std::uint64_t>(slots + spare_places(*what_, shapes, slots),
                                     (driver_.size() - first_) / slot);
  places_ = places;
  copies_.assign(slots, std::vector<std::string>(tensors));
  scatter();
  return true;
}

void caller::scatter() {
  arena_shape shape{first_, places_, bytes_, std::vector<std::size_t>(bytes_.size())};
  for (std::size_t t = 0; t < bytes_.size() && misaligned_ && !wide_; ++t)
    shape.off_by[t] = bytes_of(what_->tensors[t].dtype);
  offsets_ = seam().layout(shape, random_);
  red_key_ = random_.next();
  std::vector<arena_bytes> zones;
  for (std::size_t s = 0; s < offsets_.size(); ++s)
    add_red_zones(s, zones);
  seam().fill(state(), zones);
}

const char* caller::red_zone_of(std::uint64_t offset, bool behind) const {
  auto x = (offset * 2 + (behind ? 1 : 0)) * 0x9e3779b97f4a7c15u ^ red_key_;
  x = (x ^ (x >> 32)) * 0xd1342543de82ef95u;
  return red_.data() + (x >> 32) % (red_pool - red_zone_bytes);
}

std::vector<std::uint64_t> caller::values_of(const bank_slot& slot) const {
  auto values = value_bits_;
  for (std::size_t s = 0; s < std::min(slot.scalars.size(), what_->scalars.size()); ++s)
    values[s] = scalar_bits(what_->scalars[s], slot.scalars[s]);
  return values;
}

void caller::soil() {
  constexpr std::uint64_t most = 64u << 20; // beyond the tensors of any small shape
  auto end = std::min<std::uint64_t>(driver_.size(), first_ + most);
  std::vector<std::uint64_t> words(block_bytes / sizeof(std::uint64_t));
  for (auto to = first_; to + sizeof(std::uint64_t) <= end;) {
    auto n = std::min<std::uint64_t>(words.size(), (end - to) / sizeof(std::uint64_t));
    for (std::uint64_t i = 0; i < n; ++i)
      words[i] = random_.next();
    write(to, reinterpret_cast<const char*>(words.data()), n * sizeof(std::uint64_t));
    to += n * sizeof(std::uint64_t);
  }
  scatter();
}

void caller::add_red_zones(std::size_t slot, std::vector<arena_bytes>& to) const {
  for (std::size_t t = 0; t < bytes_.size(); ++t) {
    auto offset = offsets_[slot][t];
    to.push_back({offset - red_zone_bytes, red_zone_of(offset, false), red_zone_bytes});
    to.push_back({offset + bytes_[t], red_zone_of(offset, true), red_zone_bytes});
  }
}

void caller::write_decoys(std::span<const bank_slot* const> slots, const poison* rubbish) {
  const bool any_mixed = is_any_mixed(slots); // then every input has a pool
  for (std::size_t s = slots.size(); s < offsets_.size() && !slots.empty(); ++s)
    for (std::size_t t = 0; t < bytes_.size(); ++t) {
      auto to = offsets_[s][t];
      if (bytes_[t] == 0)
        continue;
      if (what_->tensors[t].role == tensor_role::out) {
        // What lay there before would tell who remembers it that no call is given this place.
        if (rubbish && !(any_mixed && mix(to, t, random_.next())))
          seam().poison(state(), {to, rubbish, t, rubbish->turn(t, random_), 0, bytes_[t], bytes_[t]},
                        random_);
        continue;
      }
      if (any_mixed && mix(to, t, random_.next()))
        continue;
      // Those of an order's slot, rotated: no copy, and of the same kind.
      const auto& like = slots[random_.below(slots.size())]->inputs[t];
      std::size_t size = bytes_of(what_->tensors[t].dtype), turn = random_.below(bytes_[t] / size) * size;
      write(to, like.data() + turn, bytes_[t] - turn);
      write(to + bytes_[t] - turn, like.data(), turn);
    }
}

bool caller::mix(std::uint64_t offset, std::size_t tensor, std::uint64_t key) {
  const auto& pool = mixture_->pools[tensor];
  if (pool)
    seam().mix(state(), {offset, bytes_[tensor], bytes_of(what_->tensors[tensor].dtype), pool.get(), key});
  return pool != nullptr;
}

const std::string& caller::output(std::size_t slot, std::size_t tensor) const {
  auto& copy = copies_[slot][tensor];
  if (kept_ && copy.size() != bytes_[tensor]) {
    copy.resize(bytes_[tensor]);
    seam().kept(state(), {static_cast<std::uint32_t>(slot), static_cast<std::uint32_t>(tensor),
                          offsets_[slot][tensor], 0, bytes_[tensor], copy.data()});
  }
  return copy;
}

bool caller::is_wide(std::size_t tensor) const {
  return wide_ && wider_[tensor];
}

void caller::write_wide(std::span<const bank_slot* const> slots) {
  for (std::size_t s = 0; s < slots.size(); ++s)
    for (std::size_t t = 0; t < bytes_.size(); ++t)
      if (what_->tensors[t].role != tensor_role::out) {
        const auto& bytes = slots[s]->inputs[t];
        auto wider = is_wide(t) ? widened(what_->tensors[t].dtype, bytes) : bytes;
        write(offsets_[s][t], wider.data(), bytes_[t]);
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
      if (is_mixed(*slots[s]) && mix(offsets_[s][t], t, key_of(*slots[s], t, out ? random_.next() : 0)))
        continue;
      auto turn = out ? rubbish->turn(t, random_) : 0;
      for (std::size_t from = 0; from < bytes_[t]; from += block_bytes)
        blocks.push_back({s, t, from, turn});
    }
  random_.shuffle(blocks);
  for (const auto& b : blocks) {
    auto to = offsets_[b.slot][b.tensor] + b.from;
    auto bytes = std::min(block_bytes, bytes_[b.tensor] - b.from);
    if (what_->tensors[b.tensor].role == tensor_role::out)
      seam().poison(state(), {to, rubbish, b.tensor, b.turn, b.from, bytes, bytes_[b.tensor]}, random_);
    else
      write(to, slots[b.slot]->inputs[b.tensor].data() + b.from, bytes);
  }
}

std::vector<arena_bytes> caller::withheld(std::span<const bank_slot* const> slots) {
  std::vector<arena_bytes> rows;
  if (mixture_)
    return rows;
  for (std::uint32_t i = 0; i < seam().patch_rows && !slots.empty() && !wide_; ++i) {
    std::size_t s = random_.below(slots.size()), t = random_.below(bytes_.size()), n = bytes_[t] / row_bytes;
    if (what_->tensors[t].role == tensor_role::out || n < 2)
      continue;
    const auto* input = slots[s]->inputs[t].data();
    auto at = random_.below(n) * row_bytes, other = random_.below(n) * row_bytes;
    write(offsets_[s][t] + at, input + other, row_bytes);
    rows.push_back({offsets_[s][t] + at, input + at, row_bytes});
  }
  return rows;
}

call_order caller::order_of(std::size_t slots) const {
  call_order order;
  order.calls = static_cast<std::uint32_t>(slots);
  order.graph = by_graph_;
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

result_part caller::part_of(glance& g) const {
  return {static_cast<std::uint32_t>(g.slot),
          static_cast<std::uint32_t>(g.tensor),
          offsets_[g.slot][g.tensor],
          g.from,
          g.bytes.size(),
          g.bytes.data()};
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
      seam().sample(state(), part_of(parts.back()));
    }
  }
  return parts;
}

std::string caller::changed_since(const std::vector<glance>& parts) const {
  std::string name;
  for (const auto& p : parts) {
    auto now = p;
    if (kept_)
      seam().kept(state(), part_of(now));
    else
      now.bytes = copies_[p.slot][p.tensor].substr(p.from, p.bytes.size());
    if (now.bytes != p.bytes)
      name = what_->tensors[p.tensor].name;
  }
  return name;
}

std::vector<arena_bytes> caller::write_order(std::span<const bank_slot* const> slots, const poison* rubbish) {
  for (std::size_t s = 0; s < slots.size() && !value_bits_.empty(); ++s) {
    auto values = values_of(*slots[s]);
    write(values_ + s * values.size() * 8, reinterpret_cast<const char*>(values.data()), values.size() * 8);
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
  return withheld(slots);
}

void caller::chill(std::size_t slots, bool cold) {
  std::vector<arena_bytes> where;
  for (std::size_t s = 0; s < slots; ++s)
    for (std::size_t t = 0; t < bytes_.size(); ++t)
      if (cold || what_->tensors[t].role == tensor_role::out)
        where.push_back({offsets_[s][t], nullptr, bytes_[t]});
  seam().flush(state(), where);
}

call_outcome caller::call(const call_order& order, std::span<const arena_bytes> rows, double limit_s,
                          std::vector<glance>& looked_at, std::vector<glance>& ended) {
  if (seam().hand)
    seam().hand(state(), order, limit_s);
  if (!seam().fence(state()).still) {
    call_outcome out;
    out.end = call_end::forged;
    out.why = "it ran between two calls although it was stopped";
    return out;
  }
  seam().prime(state());
  double patch_ns =
      rows.empty() ? 0 : seam().patch(state(), rows); // the clock runs: it is what they wait for
  call_watch watch;
  if (order.calls > 2 && random_.below(2) == 0) { // of either side: it costs some cache lines
    watch.after_s = random_.uniform() * each_s_ * static_cast<double>(order.calls);
    watch.midway = [&](std::uint32_t begun) { ended = look_midway(begun); };
  }
  auto out = seam().go(state(), order, limit_s, watch);
  if (out.end != call_end::done)
    return out;
  if (energy_s_ > 0)
    joules_ = seam().energy(state(), energy_s_);
  std::vector<result_part> samples;
  samples.reserve(looked_at.size());
  for (auto& g : looked_at)
    samples.push_back(part_of(g));
  seam().close(state(), samples, out);
  out.ns += patch_ns;
  return out;
}

double caller::energy(std::span<const bank_slot* const> slots, double seconds, double limit_s) {
  joules_ = 0;
  energy_s_ = seconds;
  auto said = run(slots, nullptr, false, limit_s);
  energy_s_ = 0;
  return said.call.end == call_end::done ? joules_ : 0;
}

std::vector<result_part> caller::results_of(std::size_t slots) {
  std::vector<result_part> results;
  for (std::uint32_t s = 0; s < slots; ++s)
    for (std::uint32_t t = 0; t < bytes_.size(); ++t)
      if (what_->tensors[t].role != tensor_role::in) {
        copies_[s][t].resize(kept_ ? 0 : bytes_[t]);
        results.push_back({s, t, offsets_[s][t], 0, bytes_[t], copies_[s][t].data()});
      }
  return results;
}

void caller::compare_arena(std::span<const bank_slot* const> slots, outcome& out) {
  std::vector<arena_bytes> zones, inputs;
  std::vector<std::size_t> tensors;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    add_red_zones(s, zones);
    for (std::size_t t = 0; t < bytes_.size(); ++t)
      if (!wide_ && what_->tensors[t].role == tensor_role::in) {
        inputs.push_back(
            {offsets_[s][t], is_mixed(*slots[s]) ? nullptr : slots[s]->inputs[t].data(), bytes_[t]});
        tensors.push_back(t);
      }
  }
  auto whole = seam().compare(state(), zones), same = seam().compare(state(), inputs);
  for (std::size_t i = 0; i < zones.size(); ++i)
    if (!whole[i])
      out.red_zone = what_->tensors[i / 2 % bytes_.size()].name; // two of each tensor
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!same[i])
      out.inputs_changed = what_->tensors[tensors[i]].name;
}

void caller::widen_copies(std::size_t slots) {
  for (std::size_t s = 0; s < slots && wide_; ++s)
    for (std::size_t t = 0; t < bytes_.size(); ++t)
      if (what_->tensors[t].role != tensor_role::in && !is_wide(t))
        copies_[s][t] = widened(what_->tensors[t].dtype, copies_[s][t]);
}

bool caller::copy_or_keep(std::span<const result_part> results, outcome& out) {
  if (!kept_) {
    out.unwritten = seam().snapshot(state(), results);
    return true;
  }
  auto kept = seam().keep(state(), results);
  if (kept)
    return true;
  kept_ = false;
  out.call.end = call_end::machine;
  out.call.why = kept.error().text;
  return false;
}

caller::outcome caller::run(std::span<const bank_slot* const> slots, const poison* rubbish, bool cold,
                            double limit_s, bool look) {
  bool may_stay =
      seam().begin(state(), {static_cast<std::uint32_t>(slots.size()), what_, wide_}) && !slots.empty();
  auto rows = write_order(slots, rubbish);
  auto order = order_of(slots.size());
  if (may_stay) {
    order.stay = stay_;
    for (std::size_t s = 0; s < slots.size(); ++s)
      write(stay_ + s * bytes_.size() * 8, reinterpret_cast<const char*>(offsets_[s].data()),
            bytes_.size() * 8);
  }
  // Where a result may stay, our own memory for it, which we have just written, must be no warmer place than
  // one of theirs.
  if (cold || may_stay)
    chill(slots.size(), cold);

  outcome out;
  out.looked_at = look && !slots.empty();
  auto parts = out.looked_at ? windows(slots.size()) : std::vector<glance>{};
  std::vector<glance> ended;
  const auto asked = steady::now();
  out.call = call(order, rows, limit_s, parts, ended);
  out.asked_s = seconds_since(asked);
  if (out.call.end != call_end::done)
    return out;
  if (!slots.empty())
    each_s_ = out.call.ns * 1e-9 / static_cast<double>(slots.size());
  // The process is proven stopped. Outputs are copied first and only the copies are ever looked at.
  kept_ = is_any_mixed(slots);
  auto results = results_of(slots.size());
  if (!copy_or_keep(results, out))
    return out;
  compare_arena(slots, out);
  out.late = changed_since(parts);
  out.ahead = changed_since(ended);
  out.unwritten += seam().settle(state(), results);
  widen_copies(slots.size());
  out.woke = !seam().fence(state()).still;
  return out;
}

} // namespace ke
