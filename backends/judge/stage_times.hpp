#pragma once

#include "backends/judge/stopwatch.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

namespace ke {

/// Where the seconds of a judgement go, by stage. One thread.
class stage_times {
public:
  /// Adds what its scope takes to a stage; the stages outlive it.
  class scope {
  public:
    explicit scope(double& to) : to_{to} {}
    scope(const scope&) = delete;
    ~scope() { to_ += seconds_since(begun_); }

  private:
    double& to_;
    steady::time_point begun_ = steady::now();
  };
  scope of(const std::string& stage) { return scope{seconds_[stage]}; }

  /// A call of the candidate on these shapes, in seconds.
  void note_call(const std::string& shapes, double s) {
    auto [at, is_first] = calls_.try_emplace(shapes, calls_of{s, s});
    if (!is_first)
      at->second.fastest = std::min(at->second.fastest, s);
  }
  /// Seconds that first calls took beyond the fastest ones on the same shapes: what is compiled or loaded as it is needed.
  double beyond_usual_s() const {
    double s = 0;
    for (const auto& [shapes, calls] : calls_)
      s += calls.first - calls.fastest;
    return s;
  }
  const std::map<std::string, double>& seconds() const { return seconds_; }

private:
  struct calls_of {
    double first = 0, fastest = 0;
  };
  std::map<std::string, double> seconds_;
  std::map<std::string, calls_of> calls_;
};

} // namespace ke
