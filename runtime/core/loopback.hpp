#pragma once

#include <cstddef>
#include <string_view>

namespace ke {

/// Whether a host, as it stands in an address (brackets of IPv6 or not), is certainly this machine:
/// "localhost", "::1", or 127.0.0.0/8 as four decimal numbers. Any other name may be anybody's.
constexpr bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "::1" || host == "[::1]")
    return true;
  std::size_t fields = 0;
  for (bool more = true; more; ++fields) {
    auto dot = host.find('.');
    auto field = host.substr(0, dot);
    if (fields == 4 || field.empty() || field.size() > 3 || (field.size() > 1 && field[0] == '0'))
      return false;
    int value = 0;
    for (char c : field) {
      if (c < '0' || c > '9')
        return false;
      value = value * 10 + (c - '0');
    }
    if (value > 255 || (fields == 0 && value != 127))
      return false;
    more = dot != host.npos;
    host.remove_prefix(more ? dot + 1 : host.size());
  }
  return fields == 4;
}

} // namespace ke
