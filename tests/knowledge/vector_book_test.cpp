#include "knowledge/library/vector_book.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ke;
using kind = vector_book::kind;

namespace {

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back("text " + std::to_string(i));
  return texts;
}

std::vector<embedding> ones(std::size_t count) {
  return std::vector<embedding>(count, embedding{1});
}

/// A book whose documents were looked for in vain.
vector_book lacking(const std::vector<std::string>& texts) {
  vector_book book;
  for (const auto& text : book.note(texts))
    book.lacking(text);
  return book;
}

} // namespace

TEST_CASE("a document's vector is looked for first and asked for only if it lacks, once") {
  vector_book book;
  CHECK(book.complete());
  CHECK(book.note({"a", "b", "a"}) == std::vector<std::string>{"a", "b"});
  CHECK(book.note({"b"}).empty());
  CHECK_FALSE(book.complete());
  book.found("a", {1, 0});
  book.lacking("b");
  CHECK_FALSE(book.complete());
  REQUIRE(book.of_document("a"));
  CHECK(book.of_document("b") == nullptr);
  CHECK(book.next(kind::documents) == std::vector<std::string>{"b"});
  CHECK(book.next(kind::documents).empty()); // it is out
  CHECK_FALSE(book.complete());
  CHECK(book.answered(kind::documents, {{0, 1}}) == std::vector<std::string>{"b"});
  CHECK(book.complete());
  CHECK(*book.of_document("b") == embedding{0, 1});
}

TEST_CASE("documents are asked for in batches, one at a time") {
  auto book = lacking(numbered(40));
  std::vector<std::size_t> sizes;
  while (!book.complete()) {
    sizes.push_back(book.next(kind::documents).size());
    book.answered(kind::documents, ones(sizes.back()));
  }
  CHECK(sizes == std::vector<std::size_t>{16, 16, 8});
  for (const auto& text : numbered(40))
    CHECK(book.of_document(text));
}

TEST_CASE("documents without an answer are asked for again, behind the others") {
  auto book = lacking(numbered(17));
  CHECK(book.next(kind::documents).size() == 16);
  book.failed(kind::documents);
  CHECK_FALSE(book.complete());
  auto second = book.next(kind::documents);
  CHECK(second.front() == "text 16");
  book.answered(kind::documents, ones(second.size()));
  CHECK(book.next(kind::documents).size() == 1);
}

TEST_CASE("a text that the server refuses is found by halving, and costs no other its vector") {
  auto book = lacking(numbered(20));
  int requests = 0;
  while (!book.complete()) {
    REQUIRE(++requests < 60);
    auto texts = book.next(kind::documents);
    if (std::find(texts.begin(), texts.end(), "text 5") != texts.end())
      book.refused(kind::documents);
    else
      book.answered(kind::documents, ones(texts.size()));
  }
  for (const auto& text : numbered(20)) {
    REQUIRE(book.of_document(text));
    CHECK(book.of_document(text)->empty() == (text == "text 5"));
  }
}

TEST_CASE("queries that come while one is out are in the next batch, each once") {
  vector_book book;
  CHECK(book.of_query("a") == nullptr);
  CHECK(book.next(kind::queries) == std::vector<std::string>{"a"});
  for (auto text : {"a", "b", "c", "b"})
    CHECK(book.of_query(text) == nullptr);
  CHECK(book.next(kind::queries).empty());
  book.answered(kind::queries, {{1, 0}});
  CHECK(*book.of_query("a") == embedding{1, 0});
  CHECK(book.next(kind::queries) == std::vector<std::string>{"b", "c"});
  book.failed(kind::queries); // nobody waits any longer
  CHECK(book.next(kind::queries).empty());
  CHECK(book.of_query("b") == nullptr);
  CHECK(book.next(kind::queries) == std::vector<std::string>{"b"});
  book.refused(kind::queries);
  REQUIRE(book.of_query("b"));
  CHECK(book.of_query("b")->empty());
}

TEST_CASE("only so many queries' vectors are kept, the newest") {
  vector_book book;
  for (const auto& text : numbered(vector_book::most_queries + 1)) {
    book.of_query(text);
    book.next(kind::queries);
    book.answered(kind::queries, ones(1));
  }
  CHECK(book.of_query("text 0") == nullptr);
  CHECK(book.of_query("text 1"));
}
