#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// One server-sent event: name ("" if none), and data lines joined by line feeds.
struct sse_event {
  std::string name;
  std::string data;
};

/// Incremental reader of a text/event-stream: pieces may be cut anywhere, lines may end in CR, LF or CRLF;
/// skips comments. Pure.
class sse_parser {
public:
  /// The events completed by `piece`.
  std::vector<sse_event> feed(std::string_view piece);
  /// The event still open when the stream ends without a blank line, if any (some servers forget it).
  std::vector<sse_event> finish();

private:
  void line(std::string_view text, std::vector<sse_event>& out);
  void dispatch(std::vector<sse_event>& out);

  std::string pending_;
  sse_event open_;
  bool has_data_ = false;
  bool first_ = true;
  bool skip_lf_ = false;
};

/// Whether a body begins as a stream of events does. Pure.
bool looks_like_stream(std::string_view body);

} // namespace ke
