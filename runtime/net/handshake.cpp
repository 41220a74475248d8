#include "runtime/net/handshake.hpp"

#include "runtime/core/device_info.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/text/json_text.hpp"

#include <algorithm>
#include <string>

namespace ke::wire {
namespace {

constexpr std::size_t longest_name = 256;
constexpr std::size_t longest_fact = 16u << 10; ///< of a device: compiler flags, instruction sets
constexpr std::size_t most_devices = 4096, most_labels = 256, most_facts = 256;

/// A fact may have lines and tabs.
bool is_fact(std::string_view text) {
  if (text.size() > longest_fact)
    return false;
  while (!text.empty()) {
    auto part = text.substr(0, text.find_first_of("\n\t"));
    if (!is_plain_text(part, longest_fact))
      return false;
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return true;
}

refuse_body refusal(const std::string& what) {
  return {what + ": mend it on the worker's machine, and start the worker again", false};
}

std::optional<refuse_body> fault_in(const device_info& d) {
  for (auto [what, text] : {std::pair{"name", &d.name}, {"backend", &d.backend}, {"state", &d.state}})
    if (!is_plain_text(*text, longest_name))
      return refusal(std::string{"the "} + what +
                     " of a device is not UTF-8 without control characters, of at most " +
                     std::to_string(longest_name) + " bytes");
  if (d.facts.size() > most_facts)
    return refusal("device " + d.name + " has over " + std::to_string(most_facts) + " facts");
  for (const auto& [key, value] : d.facts)
    if (!is_plain_text(key, longest_name) || !is_fact(value))
      return refusal(
          "a fact of device " + d.name + (is_plain_text(key, longest_name) ? ", " + key + "," : "") +
          " is not UTF-8 without control characters, of at most " + std::to_string(longest_fact) + " bytes");
  return std::nullopt;
}

std::string range_text(version_range r) {
  return std::to_string(r.least) + " to " + std::to_string(r.most);
}

refuse_body other_program(const std::string& what, version_range ours) {
  return {what + ", this coordinator " + range_text(ours) + ": install the same ke-runtime on both", false};
}

} // namespace

std::variant<std::uint32_t, refuse_body> negotiate(version_range ours, version_range theirs) {
  auto most = std::min(ours.most, theirs.most);
  if (theirs.least <= theirs.most && most >= std::max(ours.least, theirs.least))
    return most;
  return other_program("the worker speaks wire versions " + range_text(theirs), ours);
}

std::variant<heard_hello, bad_hello> read_hello(version_range ours, std::string_view body) {
  const std::string unreadable = "this hello cannot be read";
  auto theirs = decode<version_range>(body);
  if (!theirs)
    return bad_hello{other_program(unreadable + " (" + theirs.error().text +
                                       "), not even its wire versions; the worker speaks others",
                                   ours),
                     true};
  auto agreed = negotiate(ours, *theirs);
  if (auto no = std::get_if<refuse_body>(&agreed))
    return bad_hello{std::move(*no), false};
  auto hello = decode<hello_body>(body);
  if (!hello)
    return bad_hello{other_program(unreadable + " (" + hello.error().text +
                                       "); the worker speaks wire versions " + range_text(*theirs),
                                   ours),
                     true};
  return heard_hello{std::move(*hello), std::get<std::uint32_t>(agreed)};
}

refuse_body unspoken(version_range ours, std::uint32_t theirs) {
  return other_program("this frame is of wire version " + std::to_string(theirs), ours);
}

std::optional<refuse_body> fault_in(const hello_body& theirs) {
  for (auto [what, text] :
       {std::pair{"name", &theirs.name}, {"boot id", &theirs.boot}, {"program", &theirs.program}})
    if (!is_plain_text(*text, longest_name))
      return refusal(std::string{"the worker's "} + what +
                     " is not UTF-8 without control characters, of at most " + std::to_string(longest_name) +
                     " bytes");
  if (theirs.devices.size() > most_devices || theirs.labels.size() > most_labels)
    return refusal("a worker may announce " + std::to_string(most_devices) + " devices and " +
                   std::to_string(most_labels) + " labels");
  for (const auto& [key, value] : theirs.labels)
    if (!is_plain_text(key, longest_name) || !is_plain_text(value, longest_name))
      return refusal("a label of the worker is not UTF-8 without control characters, of at most " +
                     std::to_string(longest_name) + " bytes");
  for (const auto& d : theirs.devices)
    if (auto no = fault_in(d))
      return no;
  return std::nullopt;
}

} // namespace ke::wire
