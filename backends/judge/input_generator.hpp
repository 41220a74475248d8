#pragma once

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/caller.hpp"
#include "runtime/core/problem.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ke {

/// Makes inputs by make(key, dims) of a problem's generator, in a process beyond a candidate's reach, each
/// with a key of its own. One thread.
class input_generator {
public:
  explicit input_generator(const judge_task& task);

  /// Inputs of one slot, per tensor of the problem. `invalid`, in one sentence: make() fails, or its result is
  /// not as in problem.toml. Of a workload also: the same key gives other inputs when asked again, all keys
  /// give the same ones, or one takes too long for a judgement's draws.
  result<std::vector<std::string>> draw(const bound_shapes& shapes, std::uint64_t key);

  /// Time of one draw of the last shapes: the fastest.
  double draw_s() const { return draw_s_; }

  /// Inputs of the problem equal for all keys, in all workloads.
  std::vector<std::string> same_for_all_keys() const;

private:
  using inputs = std::vector<std::string>; ///< per tensor of the problem

  status bind(const bound_shapes& shapes);
  status start(std::size_t memory);
  result<inputs> one(std::uint64_t key);
  /// Checks on the first draws of a workload.
  status tried();
  failure unfit(const std::string& why) const;

  const judge_task& task_;
  problem what_;                     ///< key, dims and extents in, the problem's inputs out
  bound_shapes asked_;               ///< of the problem
  bound_shapes shapes_;              ///< of what_
  std::vector<std::size_t> tensors_; ///< of the problem, in the order of make()'s result
  std::unique_ptr<caller> process_;
  random_source random_{secret_key()}; ///< of what is tried: a slot's key draws its inputs alone
  std::size_t memory_ = 0;             ///< of the process
  double draw_s_ = 0, work_s_ = 0;     ///< of the last shapes, the least: time, and processor time in it
  std::set<std::map<std::string, std::int64_t>> tried_; ///< workloads by their dims
  std::vector<char> alike_, varied_;                    ///< per tensor of the problem, between two keys
};

} // namespace ke
