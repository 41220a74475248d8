#include "runtime/core/journal.hpp"
#include "runtime/core/rows.hpp"
#include "tests/actors/small_store.hpp"
#include "tests/interface/command_line.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

using namespace ke;
using json = nlohmann::json;

TEST_CASE(
    "store check finds a campaign sound while it runs, after its owner has gone, and when it is finished") {
  temp_dir dir;
  auto check = [&] {
    auto r = run_command({"store", "check", "--store", dir.path(), "--json"});
    INFO(r.out);
    CHECK(r.code == 0);
    auto j = json::parse(r.out);
    CHECK(j["sound"] == true);
    CHECK(j["problems"] == json::array());
    return j["rows"]["nodes"].get<int>();
  };
  {
    auto store = open_store(dir.path());
    small_campaign c{*store};
    typical(c);
    CHECK(check() == 5);
  }
  CHECK(check() == 5);
  {
    auto store = open_store(dir.path());
    small_campaign c{*store, 2, "second", {"cpu-cpp", "opencl"}};
    typical(c);
    c.finish("stopped");
    check();
  }
  CHECK(check() == 11);
}

TEST_CASE("store check and replay tell where rows differ from the journal") {
  temp_dir dir;
  std::string expected;
  {
    auto store = open_store(dir.path());
    small_campaign c{*store};
    typical(c);
    c.finish("stopped");
    store_batch b;
    auto reader = store_reader::open(dir.path());
    REQUIRE(reader);
    auto key = key_of(1, 0, 3);
    auto row = reader->row<node_row>(table::nodes, key);
    REQUIRE(row);
    SECTION("a score") {
      row->scores[0] = 4.0;
      b.put(table::nodes, key, pack(*row));
      expected = "node 1.0.3 has another score in its row than in the journal";
    }
    SECTION("the index row") {
      auto hot = reader->row<hot_row>(table::hot, key);
      REQUIRE(hot);
      hot->depth += 1;
      b.put(table::hot, key, pack(*hot));
      expected = "node 1.0.3 is another one in its index row than in the journal";
    }
    SECTION("the campaign") {
      auto campaign = reader->row<campaign_row>(table::campaigns, key_of(1));
      REQUIRE(campaign);
      campaign->spend.usd += 1;
      b.put(table::campaigns, key_of(1), pack(*campaign));
      expected = "its row has other spending or failures than its journal";
    }
    REQUIRE(write(*store, std::move(b)));
  }
  auto r = run_command({"store", "check", "--store", dir.path()});
  CHECK(r.code == 6);
  CHECK(r.out.find("campaign small: " + expected) != std::string::npos);
  auto replay = run_command({"replay", "--store", dir.path()});
  CHECK(replay.code == 6);
  CHECK(replay.out.find("differs: " + expected) != std::string::npos);
}

TEST_CASE("replay makes the same tree again, with counts and hashes") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  auto r = run_command({"replay", "--store", dir.path(), "--json"});
  INFO(r.out << r.err);
  REQUIRE(r.code == 0);
  auto j = json::parse(r.out);
  CHECK(j["campaign"] == "small");
  CHECK(j["nodes"] == 6);
  CHECK(j["ended"] == 4);
  CHECK(j["matches"] == true);
  CHECK(j["hash"] == c.fold.hash());
  CHECK(j["trees"][0]["hash"] == c.fold.trees()[0].hash());
  auto text = run_command({"replay", "--store", dir.path()});
  CHECK(text.out.find("the stored rows are what the journal makes") != std::string::npos);
}

TEST_CASE("replay of a journal that can't be folded names the record") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  store_batch b;
  b.journal.emplace_back(1, journal_record{journal_kind::judged, 0, 0, pack(journal_judged{0, 77, 0})});
  REQUIRE(write(*store, std::move(b)));
  auto r = run_command({"replay", "--store", dir.path()});
  CHECK(r.code == 6);
  CHECK(r.err.find("campaign small, journal record") != std::string::npos);
}

TEST_CASE("compact shrinks a closed store and refuses an owned one") {
  temp_dir dir;
  {
    auto store = open_store(dir.path());
    small_campaign c{*store};
    typical(c);
    CHECK(run_command({"store", "compact", "--store", dir.path()}).code == 6);
  }
  auto r = run_command({"store", "compact", "--store", dir.path(), "--json"});
  INFO(r.err);
  REQUIRE(r.code == 0);
  auto j = json::parse(r.out);
  CHECK(j["bytes_after"].get<std::uint64_t>() <= j["bytes_before"].get<std::uint64_t>());
  CHECK(run_command({"store", "check", "--store", dir.path()}).code == 0);
}

TEST_CASE("verify-pages ends with 6 and one line for a damaged store") {
  temp_dir dir;
  {
    auto store = open_store(dir.path());
    small_campaign c{*store};
    typical(c);
  }
  CHECK(run_command({"store", "verify-pages", dir.path()}).code == 0);
  auto file = dir / "data.mdb";
  std::fstream data{file, std::ios::in | std::ios::out | std::ios::binary};
  std::string bytes(std::filesystem::file_size(file), '\0');
  data.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  auto at = bytes.find("My plan for node 1."); // of a row's body: the pages stay sound
  REQUIRE(at != std::string::npos);
  for (; at != std::string::npos; at = bytes.find("My plan for node 1.", at + 1))
    bytes[at] ^= 1;
  data.seekp(0);
  data.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  data.close();
  auto r = run_command({"store", "verify-pages", dir.path()});
  CHECK(r.code == 6);
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
}

TEST_CASE("bug: store merge takes a good file in silence when the next one is bad") {
  temp_dir dir, other;
  {
    auto store = open_store(dir.path());
    small_campaign c{*store};
    typical(c);
  }
  auto good = dir / "good.kex", bad = dir / "bad.kex";
  REQUIRE(run_command({"store", "export", "--store", dir.path(), "-o", good}).code == 0);
  std::ofstream{bad} << "no export";
  auto r = run_command({"store", "merge", good, bad, "--store", other.path()});
  CHECK(r.code == 2);
  CHECK(r.out.find("merged " + good) == 0);
  CHECK(r.err.find("bad.kex") != std::string::npos);
  r = run_command({"store", "merge", good, bad, "--store", other.path(), "--json"});
  CHECK(r.code == 2);
  auto j = json::parse(r.out);
  REQUIRE(j["merged"].size() == 1);
  CHECK(j["merged"][0]["file"] == good);
  r = run_command({"store", "merge", bad, good, "--store", other.path(), "--json"}); // nothing was taken
  CHECK(r.out.empty());
}
