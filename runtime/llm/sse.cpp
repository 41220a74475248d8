#include "runtime/llm/sse.hpp"

#include <utility>

namespace ke {

std::vector<sse_event> sse_parser::feed(std::string_view piece) {
  std::vector<sse_event> out;
  while (!piece.empty()) {
    if (std::exchange(skip_lf_, false) && piece.front() == '\n') {
      piece.remove_prefix(1);
      continue;
    }
    auto end = piece.find_first_of("\r\n");
    pending_.append(piece.substr(0, end));
    if (end == std::string_view::npos)
      break;
    skip_lf_ = piece[end] == '\r';
    piece.remove_prefix(end + 1);
    line(std::exchange(pending_, {}), out);
  }
  return out;
}

std::vector<sse_event> sse_parser::finish() {
  std::vector<sse_event> out;
  if (!pending_.empty())
    line(std::exchange(pending_, {}), out);
  dispatch(out);
  return out;
}

void sse_parser::line(std::string_view text, std::vector<sse_event>& out) {
  if (std::exchange(first_, false) && text.substr(0, 3) == "\xef\xbb\xbf")
    text.remove_prefix(3);
  if (text.empty())
    return dispatch(out);
  auto colon = text.find(':');
  if (colon == 0)
    return; // a comment, sent to keep the connection open
  auto name = text.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  if (!value.empty() && value.front() == ' ')
    value.remove_prefix(1);
  if (name == "event") {
    open_.name = value;
  } else if (name == "data") {
    if (std::exchange(has_data_, true))
      open_.data += '\n';
    open_.data += value;
  }
}

void sse_parser::dispatch(std::vector<sse_event>& out) {
  if (std::exchange(has_data_, false))
    out.push_back(std::move(open_));
  open_ = {};
}

bool looks_like_stream(std::string_view body) {
  auto begin = body.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos)
    return false;
  body.remove_prefix(begin);
  return body.starts_with("data:") || body.starts_with("event:") || body.starts_with(':') ||
         body.starts_with("id:") || body.starts_with("retry:");
}

} // namespace ke
