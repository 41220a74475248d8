#pragma once

namespace ke {

/// Standard deviations of log ratios on a kind of device, as many measurements show them: what few launches can't.
struct usual_spread {
  double launch = 0; ///< of one launch's estimate about its evaluation's
  double run = 0;    ///< of an evaluation's about those of others, beside what its launches explain
};

} // namespace ke
