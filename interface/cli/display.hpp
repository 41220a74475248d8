#pragma once

#include "runtime/core/names.hpp"

#include <memory>
#include <string>

namespace ke::cli {

enum class ui_kind { tui, plain, json, none };

/// Shows a campaign's events on stdout. A thread of its own: no event waits for a slow terminal or pipe.
///   tui     one updating line, and a line per new best
///   plain   a line per ended candidate, and one of progress every five seconds
///   json    the events as they are
class display {
public:
  explicit display(ui_kind kind);
  ~display(); ///< prints what is queued

  /// One event, as the campaign published it. Any thread; does not block.
  void event(const std::string& line);
  /// A line for people (tui and plain only).
  void note(const std::string& text);

private:
  class printer;
  std::unique_ptr<printer> printer_;
};

} // namespace ke::cli

namespace ke {
KE_NAMES(cli::ui_kind, 4, "tui", "plain", "json", "none")
}
