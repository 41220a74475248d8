#include "runtime/search/campaign/campaign_phase.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace ke {
namespace {

/// The arrows of the drawing.
bool is_arrow(campaign_phase from, campaign_phase to) {
  using enum campaign_phase;
  static constexpr std::array<std::pair<campaign_phase, campaign_phase>, 13> arrows{{
      {loading, running},
      {loading, ended},
      {running, pausing},
      {running, settling},
      {pausing, settling},
      {pausing, ended},
      {settling, claiming},
      {settling, learning},
      {settling, ended},
      {claiming, settling},
      {claiming, learning},
      {claiming, ended},
      {learning, ended},
  }};
  return std::find(arrows.begin(), arrows.end(), std::pair{from, to}) != arrows.end();
}

} // namespace

void phase_machine::enter(campaign_phase next, time_point at, std::optional<session_ending> why) {
  if (!is_arrow(now_, next))
    throw std::logic_error{"a campaign can't go from " + std::string{to_text(now_)} + " to " +
                           std::string{to_text(next)}};
  auto running = next == campaign_phase::running;
  if (!running && !why && !ending_)
    throw std::logic_error{"a campaign can't be " + std::string{to_text(next)} + " without a reason"};
  if (why)
    ending_ = std::move(why);
  has_run_ = has_run_ || running;
  now_ = next;
  since_ = at;
}

} // namespace ke
