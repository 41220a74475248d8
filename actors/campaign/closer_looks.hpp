#pragma once

namespace ke {

/// Which candidates of a search a device's tools look at, on one device: each new best, and every fourth of those so
/// near to it that they are likely parents. Together at most a tenth of the device's time, but for the first look. Pure.
class closer_looks {
public:
  /// For the next candidate: the score beyond which it is looked at; 0: it is not, whatever its score. `highest`: of the
  /// candidates that stand; 0: none does.
  double above(double highest);
  /// What a judgement took of the device, in seconds, and the looks' part of it.
  void took(double all_s, double looks_s);

private:
  unsigned asked_ = 0;
  double all_s_ = 0, looks_s_ = 0;
};

} // namespace ke
