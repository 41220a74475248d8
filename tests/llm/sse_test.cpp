#include "runtime/llm/sse.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

std::vector<std::string> data_of(const std::vector<sse_event>& events) {
  std::vector<std::string> out;
  for (const auto& e : events)
    out.push_back(e.data);
  return out;
}

std::vector<sse_event> read_in_pieces(const std::string& text, std::size_t size) {
  sse_parser parser;
  std::vector<sse_event> all;
  for (std::size_t at = 0; at < text.size(); at += size)
    for (auto& e : parser.feed(std::string_view{text}.substr(at, size)))
      all.push_back(std::move(e));
  for (auto& e : parser.finish())
    all.push_back(std::move(e));
  return all;
}

} // namespace

TEST_CASE("events are the same however the stream is cut and whatever ends its lines") {
  std::string lines[] = {"\xef\xbb\xbf: hello",
                         "event: a",
                         "data: one",
                         "data:two",
                         "",
                         "data: [DONE]",
                         "",
                         ": ping",
                         "",
                         "id: 7",
                         "retry: 5",
                         "data:  x",
                         "",
                         ""};
  for (std::string end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const auto& line : lines)
      text += line + end;
    for (std::size_t size : {1, 2, 3, 7, 1000}) {
      auto events = read_in_pieces(text, size);
      INFO("pieces of " << size);
      REQUIRE(data_of(events) == std::vector<std::string>{"one\ntwo", "[DONE]", " x"});
      CHECK(events[0].name == "a");
      CHECK(events[1].name.empty());
    }
  }
}

TEST_CASE("an event that the end of the stream leaves open is given by finish") {
  CHECK(data_of(read_in_pieces("data: a\n\ndata: b", 4)) == std::vector<std::string>{"a", "b"});
  CHECK(read_in_pieces(": only comments\n\nevent: nothing\n\n", 5).empty());
}
