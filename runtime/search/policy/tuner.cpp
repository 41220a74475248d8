#include "runtime/search/policy/tuner.hpp"

#include "runtime/core/stable_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ke {

tuner::tuner(std::vector<std::uint32_t> sizes, const parameter_point& start, std::optional<double> score,
             std::uint64_t seed)
    : sizes_{std::move(sizes)}, width_{first_rung}, seed_{seed}, random_{seed, 0x7e57} {
  tried_.push_back(code_of(start));
  if (score)
    measured_.push_back({code_of(start), *score});
  spread();
}

std::uint64_t tuner::code_of(const parameter_point& p) const {
  std::uint64_t code = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    code = code * sizes_[i] + (i < p.size() ? p[i] : 0);
  return code;
}

parameter_point tuner::point_of(std::uint64_t code) const {
  parameter_point p(sizes_.size());
  for (auto i = sizes_.size(); i-- > 0; code /= sizes_[i])
    p[i] = static_cast<std::uint32_t>(code % sizes_[i]);
  return p;
}

bool tuner::fresh(std::uint64_t code) const {
  return !std::binary_search(tried_.begin(), tried_.end(), code);
}

void tuner::add(std::uint64_t code) {
  tried_.insert(std::lower_bound(tried_.begin(), tried_.end(), code), code);
  ready_.insert(ready_.begin(), code);
}

/// The first rung: each parameter's values are dealt evenly to the points, in an order of its own.
void tuner::spread() {
  std::uint64_t all = 1; // at most 16^8
  for (auto n : sizes_)
    all *= n;
  if (all <= first_rung + 1) {
    for (std::uint64_t code = 0; code < all; ++code)
      if (fresh(code))
        add(code);
    width_ = 0;
    return;
  }
  std::vector<std::vector<std::uint32_t>> dealt;
  for (auto n : sizes_) {
    std::vector<std::uint32_t> values(first_rung);
    for (std::uint32_t i = 0; i < first_rung; ++i)
      values[i] = i * n / first_rung;
    for (auto i = first_rung; i > 1; --i)
      std::swap(values[i - 1], values[random_.below(i)]);
    dealt.push_back(std::move(values));
  }
  for (std::uint32_t i = 0; i < first_rung; ++i) {
    parameter_point p;
    for (const auto& values : dealt)
      p.push_back(values[i]);
    for (int tries = 0; !fresh(code_of(p)) && tries < 16; ++tries) {
      auto k = random_.below(p.size());
      p[k] = static_cast<std::uint32_t>(random_.below(sizes_[k]));
    }
    if (auto code = code_of(p); fresh(code))
      add(code);
  }
}

/// The next rung: half as many points as before, around the better half of the measured ones.
void tuner::narrow() {
  width_ /= 2;
  order_stably(measured_, [](const auto& a, const auto& b) { return a.score > b.score; });
  auto kept = std::min<std::size_t>(measured_.size(), std::max<std::size_t>(width_, 1));
  std::uint32_t made = 0;
  for (std::size_t round = 0; round < 2 * sizes_.size() && made < width_; ++round)
    for (std::size_t i = 0; i < kept && made < width_; ++i) {
      auto p = point_of(measured_[i].point);
      std::vector<std::uint64_t> near;
      for (std::size_t k = 0; k < p.size(); ++k)
        for (int step : {-1, 1}) {
          auto moved = p;
          moved[k] += static_cast<std::uint32_t>(step);
          if (moved[k] < sizes_[k] && fresh(code_of(moved))) // below 0 wraps to a large number
            near.push_back(code_of(moved));
        }
      if (near.empty())
        continue;
      add(near[random_.below(near.size())]);
      ++made;
    }
}

std::optional<parameter_point> tuner::next() {
  if (ready_.empty())
    return std::nullopt;
  auto code = ready_.back();
  ready_.pop_back();
  ++out_;
  return point_of(code);
}

void tuner::ended(const parameter_point& point, std::optional<double> score) {
  if (out_ > 0)
    --out_;
  if (score)
    measured_.push_back({code_of(point), *score});
  if (done() && width_ > 1 && !measured_.empty())
    narrow();
}

void tuner::save(image_writer& out) const {
  out.list(sizes_);
  out.list(ready_);
  out.list(tried_);
  out.list(measured_);
  out.value(out_);
  out.value(width_);
  out.value(seed_);
  out.value(random_.position());
}

tuner tuner::load(image_reader& in) {
  tuner t;
  t.sizes_ = in.list<std::uint32_t>();
  t.ready_ = in.list<std::uint64_t>();
  t.tried_ = in.list<std::uint64_t>();
  t.measured_ = in.list<measured>();
  t.out_ = in.value<std::uint32_t>();
  t.width_ = in.value<std::uint32_t>();
  t.seed_ = in.value<std::uint64_t>();
  t.random_ = random_source{t.seed_, 0x7e57};
  t.random_.seek(in.value<std::uint64_t>());
  return t;
}

} // namespace ke
