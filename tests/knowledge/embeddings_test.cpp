#include "knowledge/library/embeddings.hpp"
#include "tests/peak_memory.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace ke;

namespace {

document page(std::string id, std::string body, std::uint32_t level = 1) {
  document d;
  d.id = std::move(id);
  d.title = "title";
  d.body = std::move(body);
  d.targets = {"*"};
  d.level = level;
  return d;
}

std::string answer(const std::vector<std::vector<float>>& vectors) {
  auto data = nlohmann::json::array();
  for (std::size_t i = vectors.size(); i-- > 0;) // a server may answer in another order
    data.push_back({{"index", i}, {"embedding", vectors[i]}});
  return nlohmann::json{{"object", "list"}, {"data", data}}.dump();
}

} // namespace

TEST_CASE("a request for embeddings names the model and every text") {
  auto body = nlohmann::json::parse(embedding_request("e5", {"one", "two \xff"}));
  CHECK(body["model"] == "e5");
  REQUIRE(body["input"].size() == 2);
  CHECK(body["input"][0] == "one");
}

TEST_CASE("embeddings come in the order of the texts, with length one") {
  auto all = read_embeddings(answer({{3, 4}, {0, 2}}), 2);
  REQUIRE(all);
  CHECK((*all)[0][0] == Approx(0.6));
  CHECK((*all)[0][1] == Approx(0.8));
  CHECK((*all)[1][1] == Approx(1));
}

TEST_CASE("answers that are none are refused with a reason") {
  for (std::string body :
       {"", "[]", "{}", "{\"data\":{}}", "{\"data\":[1,2]}", "{\"data\":[{\"embedding\":[1]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[1,2]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[\"x\"]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[0]}]}",
        "{\"data\":[{\"index\":1,\"embedding\":[1]},{\"index\":1,\"embedding\":[1]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":-1,\"embedding\":[1]}]}"}) {
    INFO(body);
    auto read = read_embeddings(body, 2);
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == failure_kind::malformed);
  }
}

TEST_CASE("an embeddings server that answers no JSON object is told so") {
  auto why = [](std::string_view body) { return read_embeddings(body, 1).error().text; };
  auto says = [&](std::string_view body, std::string_view what) {
    INFO(why(body));
    CHECK(why(body).find(what) != std::string::npos);
    CHECK(why(body).find("`data`") == std::string::npos);
  };
  says("<html><body>502</body></html>", "it is not JSON");
  says("{\"data\":[{\"embedding\":[NaN]}]}", "it is not JSON");
  says("NaN", "it is not JSON");
  says("[[1,2]]", "it is not a JSON object but array");
  says("null", "it is not a JSON object but null");
  CHECK(why("{}").find("it has no list `data`") != std::string::npos);
}

TEST_CASE("vectors are found whatever stands beside them") {
  auto all = read_embeddings(
      "{\"usage\":{\"embedding\":[1,2],\"data\":[{\"embedding\":[7]}]},\"data\":[{\"more\":[[1],{"
      "\"embedding\":[9,9]}],"
      "\"embedding\":[3,4],\"object\":{\"index\":5}},{\"index\":1,\"embedding\":[0,2]}],\"model\":\"m\"}",
      2);
  REQUIRE(all);
  CHECK((*all)[0] == embedding{0.6f, 0.8f});
  CHECK((*all)[1] == embedding{0, 1});
  for (std::string body :
       {"{\"data\":[{\"embedding\":[1,[2]]}]}", "{\"data\":[{\"embedding\":[1],\"embedding\":[2]}]}",
        "{\"data\":[{\"embedding\":{\"a\":1}}]}", "{\"data\":[[1]]}", "{\"data\":[{\"embedding\":[1]},7]}",
        "{\"data\":[{\"embedding\":[1],\"index\":null}]}", "{\"data\":[{\"embedding\":[]}]}",
        "{\"data\":[{\"embedding\":[1],\"index\":0.0}]}", "{\"data\":[{\"index\":0}]}"}) {
    INFO(body);
    CHECK_FALSE(read_embeddings(body, 1));
  }
}

TEST_CASE(
    "sixteen megabytes of an embeddings server's answer cost less than 32 MB to read, in whatever shape",
    "[costly]") {
  auto repeated = [](const std::string& what) {
    std::string out;
    while (out.size() < 16u << 20)
      out += what;
    return out;
  };
  const std::pair<const char*, std::string> bodies[] = {
      {"nested lists", "{\"data\":" + repeated("[")},
      {"zeros", "{\"data\":[{\"embedding\":[" + repeated("0,") + "0]}]}"},
      {"entries", "{\"data\":[" + repeated("{},") + "{}]}"},
      {"vectors", "{\"data\":[" + repeated("{\"embedding\":[1]},") + "{}]}"},
      {"texts", "{\"data\":[{\"embedding\":[" + repeated("\"\",") + "0]}]}"},
      {"a text", "{\"data\":\"" + repeated("a") + "\"}"},
      {"a text without an end", "{\"data\":\"" + repeated("a")},
      {"a number", "{\"data\":" + repeated("1")},
      {"members", "{" + repeated("\"a\":{},") + "\"a\":0}"},
  };
  for (const auto& [name, body] : bodies) {
    INFO(name);
    auto grown = peak_growth([&, text = &body] { read_embeddings(*text, 16); });
    INFO(grown / 1024 << " KiB");
    CHECK(grown < 32u << 20);
  }
}

TEST_CASE("texts to embed are bounded and end with a whole character") {
  auto d = page("a", std::string(1991, 'x') + std::string(100, '\xc3') + "\xa4");
  std::string body;
  for (int i = 0; i < 1500; ++i)
    body += "\xc3\xa4";
  d.body = body;
  auto text = text_to_embed(d);
  CHECK(text.size() <= 2000);
  CHECK(text.starts_with("title\n"));
  CHECK((static_cast<unsigned char>(text.back()) == 0xa4 || text.back() == '\n'));
  signal_query q;
  q.bottleneck = "memory";
  CHECK(text_to_embed(q).find("bandwidth") != std::string::npos);
}

TEST_CASE("a document that words miss is found by meaning, and what both find comes first") {
  corpus c{{page("both", "cache lines bandwidth"), page("far", "something else"),
            page("meaning", "unrelated words"), page("shut", "cache", 3),
            page("words", "cache lines bandwidth reuse")}};
  signal_query q;
  q.bottleneck = "memory";
  std::vector<embedding> vectors{{1, 0}, {-1, 0}, {0.98f, 0.2f}, {1, 0}, {0, 1}};
  auto found = retrieve_mixed(c, q, {1, 0}, vectors, 3);
  REQUIRE(found.size() == 3);
  CHECK(found[0].document->id == "both");
  std::vector<std::string> ids{found[1].document->id, found[2].document->id};
  std::sort(ids.begin(), ids.end());
  CHECK(ids == std::vector<std::string>{"meaning", "words"});
  CHECK(found[0].score == Approx(1 / 61.0 + 1 / 62.0).epsilon(0.05));
}

TEST_CASE("without vectors, words alone decide") {
  corpus c{{page("a", "cache lines bandwidth"), page("b", "other")}};
  signal_query q;
  q.bottleneck = "memory";
  auto plain = retrieve(c, q, 5);
  for (const auto& mixed :
       {retrieve_mixed(c, q, {}, {{1, 0}, {0, 1}}, 5), retrieve_mixed(c, q, {1, 0}, {}, 5)}) {
    REQUIRE(mixed.size() == plain.size());
    CHECK(mixed[0].document == plain[0].document);
    CHECK(mixed[0].score == plain[0].score);
  }
  // A vector that is not known yet, or of another model, is passed over.
  auto found = retrieve_mixed(c, q, {1, 0}, {{}, {1, 0, 0}}, 5);
  REQUIRE(found.size() == 1);
  CHECK(found[0].document->id == "a");
}

TEST_CASE("nearness counts every place of a vector") {
  corpus c{{page("a", "same"), page("b", "same"), page("c", "same")}}; // by words in this order
  for (std::size_t place : {0, 7, 8, 15, 16, 18}) {
    embedding wanted(19, 0);
    wanted[place] = 1;
    std::vector<embedding> vectors{{}, embedding(19, 0.1f), embedding(19, 0.1f)};
    vectors[2][place] = 0.9f;
    CAPTURE(place);
    CHECK(retrieve_mixed(c, {}, wanted, vectors, 3).at(0).document->id == "c");
  }
}
