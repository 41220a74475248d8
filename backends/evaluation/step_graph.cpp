#include "backends/evaluation/step_graph.hpp"

#include <algorithm>
#include <map>

namespace ke {

/// Who needs whom, by place instead of by name.
status job_graph::join(const std::vector<node>& jobs) {
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (!place.emplace(jobs[i].name, i).second)
      return failure{failure_kind::invalid, "two jobs are called \"" + jobs[i].name + "\""};
  needs_.resize(jobs.size());
  needed_by_.resize(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (const auto& name : jobs[i].needs) {
      auto at = place.find(name);
      if (at == place.end())
        return failure{failure_kind::invalid,
                       "job \"" + jobs[i].name + "\" needs \"" + name + "\", which no job is called"};
      needs_[i].push_back(at->second);
      needed_by_[at->second].push_back(i);
    }
  return ok;
}

result<job_graph> job_graph::of(std::vector<node> jobs) {
  job_graph g;
  if (auto s = g.join(jobs); !s)
    return s.error();
  // Take away what needs nothing, again and again; what stays stands in a circle.
  std::vector<std::size_t> open, left(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if ((left[i] = g.needs_[i].size()) == 0)
      open.push_back(i);
  std::size_t taken = 0;
  g.places_.resize(jobs.size());
  while (!open.empty()) {
    auto i = open.back();
    open.pop_back();
    ++taken;
    auto on_device = [&](std::size_t n) { return g.places_[n] == job_place::device; };
    g.places_[i] = std::any_of(g.needs_[i].begin(), g.needs_[i].end(), on_device) ? job_place::device
                                                                                  : place_of(jobs[i].kind);
    for (auto n : g.needed_by_[i])
      if (--left[n] == 0)
        open.push_back(n);
  }
  if (taken != jobs.size()) {
    auto i = static_cast<std::size_t>(std::find_if(left.begin(), left.end(), [](auto n) { return n != 0; }) -
                                      left.begin());
    return failure{failure_kind::invalid, "job \"" + jobs[i].name + "\" needs itself, by way of others"};
  }
  g.nodes_ = std::move(jobs);
  g.progress_.assign(g.nodes_.size(), progress::waiting);
  return g;
}

std::vector<std::size_t> job_graph::ready() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (progress_[i] == progress::waiting && std::all_of(needs_[i].begin(), needs_[i].end(), [&](auto n) {
          return progress_[n] == progress::done;
        }))
      found.push_back(i);
  return found;
}

void job_graph::begin(std::size_t job) {
  progress_.at(job) = progress::running;
}

void job_graph::end(std::size_t job, bool well) {
  if (well)
    progress_.at(job) = progress::done;
  else
    lose(job, progress::failed);
}

void job_graph::again(std::size_t job) {
  progress_.at(job) = progress::waiting;
}

void job_graph::cancel(std::size_t job) {
  if (progress_.at(job) == progress::waiting)
    lose(job, progress::cancelled);
}

void job_graph::cancel_waiting() {
  for (auto& p : progress_)
    if (p == progress::waiting)
      p = progress::cancelled;
}

void job_graph::lose(std::size_t job, progress as) {
  progress_[job] = as;
  for (auto n : needed_by_[job])
    if (progress_[n] == progress::waiting)
      lose(n, progress::cancelled);
  auto gone = [&](std::size_t i) {
    return progress_[i] == progress::failed || progress_[i] == progress::cancelled;
  };
  for (auto n : needs_[job])
    if (progress_[n] == progress::waiting && std::all_of(needed_by_[n].begin(), needed_by_[n].end(), gone))
      lose(n, progress::cancelled);
}

bool job_graph::complete() const {
  return std::none_of(progress_.begin(), progress_.end(),
                      [](auto p) { return p == progress::waiting || p == progress::running; });
}

std::size_t job_graph::running() const {
  return static_cast<std::size_t>(std::count(progress_.begin(), progress_.end(), progress::running));
}

} // namespace ke
