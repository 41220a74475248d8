#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/names.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace ke {

struct budget_settings;

enum class resource : std::uint8_t { candidates, tokens, usd, device, requests, wall };
/// The stop reasons of product.md, too.
KE_NAMES(resource, 6, "budget.candidates", "budget.tokens", "budget.usd", "budget.device", "budget.requests",
         "budget.wall")

/// An amount of everything that is budgeted. Money and device time are integers: sums do not depend on order.
struct amounts {
  std::uint64_t candidates = 0;
  std::uint64_t tokens = 0;
  std::uint64_t nano_usd = 0;
  std::uint64_t device_us = 0;
  std::uint64_t requests = 0; ///< to models

  static std::uint64_t nano(double usd);      ///< rounded up; not below 0
  static std::uint64_t micro(double seconds); ///< rounded up; not below 0
  double usd() const { return static_cast<double>(nano_usd) * 1e-9; }
  double device_s() const { return static_cast<double>(device_us) * 1e-6; }
};
KE_FIELDS(amounts, x.candidates, x.tokens, x.nano_usd, x.device_us, x.requests)

/// A campaign's budget in two phases: reserve the worst case before something starts, settle the real amount
/// afterwards. While nothing exceeds its reservation, spent + reserved never exceeds a cap. If something does
/// (a provider counts more tokens than allowed), the truth is recorded and further reservations are refused.
/// Not thread-safe.
class ledger {
public:
  ledger() = default;
  explicit ledger(const budget_settings& budget) { caps(budget); }

  /// New caps; spent and reserved amounts stay, even above them.
  void caps(const budget_settings& budget);

  /// All of `a` or nothing. False: some cap would be exceeded, see `lacking`.
  bool reserve(const amounts& a);
  /// Takes it without a check: for a fold, because the decision was made when the record was written.
  void force(const amounts& a);
  /// What was reserved has ended and took `spent`.
  void settle(const amounts& reserved, const amounts& spent);
  /// What was reserved did not happen.
  void release(const amounts& reserved) { settle(reserved, {}); }
  /// Campaign time over all sessions; never runs backwards.
  void wall(std::uint64_t ms) { wall_ms_ = ms > wall_ms_ ? ms : wall_ms_; }

  /// The first resource with too little left for `a`; both spent and reserved amounts count.
  std::optional<resource> lacking(const amounts& a) const;
  /// The first of tokens, USD and requests whose spent and reserved amounts exceed the cap: a call took more
  /// than its reservation. Calls in flight must not be sent anew.
  std::optional<resource> overdrawn() const;
  /// The first resource used up even if everything in flight is given back: the campaign is over.
  std::optional<resource> exhausted() const;
  /// Candidates that may still be begun.
  std::uint64_t candidates_left() const;

  const amounts& spent() const { return spent_; }
  const amounts& reserved() const { return reserved_; }
  const amounts& cap() const { return cap_; } ///< 0: none
  std::uint64_t wall_ms() const { return wall_ms_; }

private:
  amounts cap_, spent_, reserved_;
  std::uint64_t wall_ms_ = 0, wall_cap_ms_ = 0;
};

} // namespace ke
