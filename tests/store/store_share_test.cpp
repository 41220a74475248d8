#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/store/prompt_sections.hpp"
#include "runtime/store/store_share.hpp"
#include "tests/store/node_batch.hpp"
#include "tests/store/temp_store.hpp"

#include <lmdb.h>

#include <fstream>
#include <iterator>

using namespace ke;

namespace {

/// A store with one campaign of two ended nodes and one that is still open, a solution, and a skill.
struct site {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  std::string name;

  explicit site(std::string n, double score = 2) : name{std::move(n)} {
    store_batch b;
    auto row = campaign(1, b);
    row.name = name;
    b.put(table::campaigns, key_of(1), pack(row));
    for (std::uint32_t node : {1u, 2u, 3u}) {
      auto source = "source of node " + std::to_string(node) + " in " + name;
      node_row r;
      r.state = node == 3 ? node_state::asked : node_state::correct;
      r.prompt_digest = digest_of("prompt" + source);
      r.sections_digest =
          b.blob(pack(std::vector<stored_section>{{b.blob("rules of all"), {}, {}}, {{}, source, {}}}));
      r.source_digest = b.blob(source);
      if (node != 3)
        r.verdict_digests = {digest_of("verdict of " + std::to_string(node))}; // the same keys in every store
      b.put(table::nodes, key_of(1, 0, node), pack(r));
      call_row call;
      call.model = "main";
      call.prompt_digest = r.prompt_digest;
      call.open = node == 3;
      if (node != 3)
        call.reply_digest = b.blob("answer with " + source);
      b.put(table::calls, key_of(1, 0, node, 1), pack(call));
      if (node != 3) {
        verdict v;
        v.state = verdict_state::correct;
        v.score = score + node;
        b.put(table::verdicts, r.verdict_digests[0], pack(v));
      }
    }
    b.put(table::solutions, key_of(solution(score)), pack(solution(score)));
    b.put(table::skills, "tile loops", "a, as " + name + " knows it");
    REQUIRE(ke::write(*store, std::move(b)));
  }

  /// A copy of its folder, to go on by itself.
  struct copy {};
  site(copy, site& of) : store{nullptr}, name{of.name} {
    of.store.reset();
    for (auto file : {"STORE", "data.mdb", "owner.lock"})
      if (std::filesystem::exists(of.dir / file))
        std::filesystem::copy_file(of.dir / file, dir / file);
    of.store = open_store(of.dir.path());
    store = open_store(dir.path());
  }

  /// The open node's call ends with this answer.
  void end_last(const std::string& reply) {
    auto node = *unpack<node_row>(*read(*store, table::nodes, key_of(1, 0, 3)));
    auto call = *unpack<call_row>(*read(*store, table::calls, key_of(1, 0, 3, 1)));
    store_batch b;
    node.state = node_state::unanswered;
    call.open = false;
    call.reply_digest = b.blob(reply);
    b.put(table::nodes, key_of(1, 0, 3), pack(node));
    b.put(table::calls, key_of(1, 0, 3, 1), pack(call));
    REQUIRE(ke::write(*store, std::move(b)));
  }

  solution_row solution(double score, std::uint64_t at = 5) const {
    solution_row r;
    r.place.family = "softmax";
    r.place.dtype = "f32";
    r.place.backend = "cpu-cpp";
    r.source_digest = digest_of("source of node 2 in " + name);
    r.verdict_digest = digest_of("verdict of 2");
    r.score = score;
    r.store = store->id();
    r.campaign = name;
    r.node = {1, 0, 2};
    r.measured_unix_ms = at;
    return r;
  }
  store_reader view() const {
    auto r = store_reader::open(dir.path());
    REQUIRE(r);
    return *r;
  }
  std::string exported(const std::string& file = "out.kex", const std::string& only = {}) const {
    auto path = dir / file;
    auto done = export_store(view(), path, {only, 1'790'000'000'000, "0.1.0"});
    INFO((done ? "" : done.error().text));
    REQUIRE(done);
    return path;
  }
  merge_report merged(const std::string& path) {
    auto done = merge_into(view(), *store, path);
    INFO((done ? "" : done.error().text));
    REQUIRE(done);
    return *done;
  }
  std::string content() const {
    auto in = export_reader::open(exported("content.kex"));
    REQUIRE(in);
    for (auto r = (*in)->next();; r = (*in)->next()) {
      REQUIRE(r);
      if (r->kind == shared_kind::end)
        return (*in)->summary().content;
    }
  }
};

std::string bytes_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE("two stores know the same after each was merged into the other") {
  site a{"a"}, b{"b", 3};
  auto of_a = a.exported(), of_b = b.exported();
  CHECK(a.content() != b.content());
  auto into_a = a.merged(of_b), into_b = b.merged(of_a);
  CHECK(into_a.added.at("call") == 2); // the third is still out
  CHECK(into_a.added.at("solution") == 1);
  CHECK(into_a.added.at("verdict") == 2); // the same keys, measured differently: kept beside the own ones
  CHECK(a.content() == b.content());
  CHECK(bytes_of(a.exported("again.kex")) != bytes_of(b.exported("again.kex"))); // each says where it is from
}

TEST_CASE("a solution whose source is neither in the export nor in the store is refused") {
  site a{"a"}, b{"b"};
  auto path = a.dir / "bare.kex";
  {
    export_header head;
    head.from = {a.store->id(), "", 1, "0.1.0"};
    auto out = export_writer::create(path, head);
    REQUIRE(out);
    (*out)->add(shared_kind::solution, pack(a.solution(9)));
    REQUIRE((*out)->finish());
  }
  auto done = merge_into(b.view(), *b.store, path);
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == failure_kind::corrupt);
  CHECK(done.error().text.find("names content that the export does not hold") != std::string::npos);
  CHECK_FALSE(read(*b.store, table::solutions, key_of(a.solution(9))));
  b.merged(a.exported()); // as a store writes it
  CHECK(read(*b.store, table::solutions, key_of(a.solution(2))));
}

TEST_CASE("two copies of one store that went on apart know the same after each was merged into the other") {
  site a{"a"};
  site b{site::copy{}, a};
  REQUIRE(a.store->id() == b.store->id());
  a.end_last("as it went on here");
  b.end_last("as it went on there");
  auto of_a = a.exported(), of_b = b.exported();
  auto into_a = a.merged(of_b), into_b = b.merged(of_a);
  CHECK(into_a.added.at("call") == 1); // what both had, is there
  CHECK(into_b.added.at("call") == 1);
  CHECK(a.content() == b.content());
  CHECK(a.merged(a.exported("own.kex")).added.empty());
}

TEST_CASE("three stores end alike in whatever order they are merged") {
  site a{"a"}, b{"b", 3}, c{"c", 4};
  auto of_a = a.exported(), of_b = b.exported(), of_c = c.exported();
  a.merged(of_c);
  a.merged(of_b);
  b.merged(of_a);
  b.merged(a.exported("a-with-all.kex")); // its own records come back, and those of c
  c.merged(of_b);
  c.merged(of_a);
  CHECK(a.content() == b.content());
  CHECK(b.content() == c.content());
}

TEST_CASE("merging a file again, or a store's own export, changes nothing") {
  site a{"a"}, b{"b"};
  auto of_b = b.exported();
  a.merged(of_b);
  auto before = a.content();
  CHECK(a.merged(of_b).added.empty());
  CHECK(a.merged(a.exported("own.kex")).added.empty());
  CHECK(a.content() == before);
  auto sound = check_store(a.dir.path());
  REQUIRE(sound);
  for (const auto& p : sound->problems)
    UNSCOPED_INFO(p);
  CHECK(sound->rows["solutions"] == 2);
}

TEST_CASE("what was merged is there: sources, replies, prompts, and where it came from") {
  site a{"a"}, b{"b", 3};
  a.merged(b.exported());
  auto view = a.view();
  auto all = read_solutions(view, "softmax");
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  for (const auto& s : *all)
    CHECK(view.blob(s.source_digest));
  CHECK(read_solutions(view, "matmul")->empty());
  std::size_t calls = 0;
  REQUIRE(view.rows<shared_call>(table::shared, "call/", [&](std::string_view, const shared_call& c) {
    CHECK(c.store == b.store->id());
    CHECK(c.campaign == "b");
    CHECK(view.blob(c.call.reply_digest));
    auto sections = unpack_sections(*view.blob(c.sections_digest));
    CHECK(view.blob(sections->front().digest));
    ++calls;
    return true;
  }));
  CHECK(calls == 2);
  auto origins = merged_exports(view);
  REQUIRE(origins);
  REQUIRE(origins->size() == 1);
  CHECK(origins->front().store == b.store->id());
  CHECK(origins->front().exported_unix_ms == 1'790'000'000'000);
  // The store's own verdict is still the one that its node was judged by.
  auto own = view.row<verdict>(table::verdicts, digest_of("verdict of 1"));
  REQUIRE(own);
  CHECK(*own->score == 3);
  // The way of a merge is kept when it is carried on.
  site c{"c"};
  c.merged(a.exported("on.kex"));
  CHECK(merged_exports(c.view())->size() == 2);
}

TEST_CASE("of two versions of a row the later one stays, whichever comes first") {
  site a{"a"}, b{"b"};
  auto early = a.exported("early.kex");
  store_batch batch;
  auto better = a.solution(9, 77);
  batch.put(table::solutions, key_of(better), pack(better));
  batch.put(table::skills, "tile loops", "b, revised");
  REQUIRE(write(*a.store, std::move(batch)));
  auto late = a.exported("late.kex");
  site c{"c"};
  b.merged(early);
  b.merged(late);
  c.merged(late);
  CHECK(c.merged(early).added.empty());
  for (auto* s : {&b, &c}) {
    auto row = s->view().row<solution_row>(table::solutions, key_of(better));
    REQUIRE(row);
    CHECK(row->score == 9);
    CHECK(*s->view().get(table::skills, "tile loops") == "b, revised");
  }
}

TEST_CASE("two rows of one skill are joined by whoever knows what is in them") {
  site a{"a"}, b{"b"};
  auto join = [](const std::string& x, const std::string& y) {
    return std::min(x, y) + " + " + std::max(x, y);
  };
  auto done = merge_into(a.view(), *a.store, b.exported(), join);
  REQUIRE(done);
  CHECK(done->added.at("skill") == 1);
  CHECK(*a.view().get(table::skills, "tile loops") == "a, as a knows it + a, as b knows it");
}

TEST_CASE("one campaign can be exported alone; an unknown one is named") {
  site a{"a"};
  site b{"b"};
  b.merged(a.exported("only.kex", "a"));
  CHECK(merged_exports(b.view())->front().campaign == "a");
  CHECK(read_solutions(b.view())->size() == 2);
  auto none = export_store(a.view(), a.dir / "none.kex", {"zebra", 0, ""});
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == failure_kind::not_found);
  CHECK(none.error().text.find("zebra") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(a.dir / "none.kex.part"));
}

TEST_CASE("an export that is damaged anywhere is refused with the place, and nothing is taken from it") {
  site a{"a"};
  auto whole = bytes_of(a.exported());
  auto try_merge = [&](const std::string& bytes) {
    site b{"b"};
    auto before = b.content();
    auto path = b.dir / "damaged.kex";
    std::ofstream{path, std::ios::binary} << bytes;
    auto done = merge_into(b.view(), *b.store, path);
    REQUIRE_FALSE(done);
    CHECK(done.error().text.find(path) == 0);
    CHECK(b.content() == before);
    CHECK(read_solutions(b.view())->size() == 1);
    return done.error();
  };
  for (auto part : {3u, 5u, 8u}) { // a flipped bit in the middle
    auto bytes = whole;
    bytes[bytes.size() * part / 10] ^= 4;
    auto why = try_merge(bytes);
    CHECK(why.kind == failure_kind::corrupt);
    CHECK(why.text.find("is damaged at byte ") != std::string::npos);
  }
  CHECK(try_merge(whole.substr(0, whole.size() - 1)).kind == failure_kind::corrupt);
  CHECK(try_merge(whole.substr(0, whole.size() / 2)).kind == failure_kind::corrupt);
  CHECK(try_merge(whole + "x").text.find("something follows its end") != std::string::npos);
  CHECK(try_merge("something else").text.find("is not an export of a store") != std::string::npos);
  CHECK(try_merge("").kind == failure_kind::invalid);
}

TEST_CASE("an export of a newer format is refused as newer") {
  temp_dir dir;
  export_header header;
  header.version = 2;
  auto out = export_writer::create(dir / "new.kex", header);
  REQUIRE(out);
  REQUIRE((*out)->finish());
  auto in = export_reader::open(dir / "new.kex");
  REQUIRE_FALSE(in);
  CHECK(in.error().kind == failure_kind::newer_version);
}

TEST_CASE("an older store without the new tables is read as it is, and gets them from its next owner") {
  temp_dir dir;
  {
    auto store = open_store(dir.path());
    REQUIRE(write(*store, batch_of(table::skills, "worker", "row")));
  }
  MDB_env* env = nullptr; // as a program that knew fewer tables had left it
  REQUIRE(mdb_env_create(&env) == 0);
  mdb_env_set_maxdbs(env, 32);
  REQUIRE(mdb_env_open(env, dir.path().c_str(), 0, 0600) == 0);
  MDB_txn* txn = nullptr;
  REQUIRE(mdb_txn_begin(env, nullptr, 0, &txn) == 0);
  for (auto name : {"solutions", "shared"}) {
    MDB_dbi table = 0;
    REQUIRE(mdb_dbi_open(txn, name, 0, &table) == 0);
    REQUIRE(mdb_drop(txn, table, 1) == 0);
  }
  REQUIRE(mdb_txn_commit(txn) == 0);
  mdb_env_close(env);
  {
    auto view = store_reader::open(dir.path(), verify_in_child);
    INFO((view ? "" : view.error().text));
    REQUIRE(view);
    CHECK(read_solutions(*view)->empty());
    CHECK(merged_exports(*view)->empty());
    CHECK(check_store(dir.path(), {verify_in_child, {}})->sound());
  }
  site a{"a"};
  auto store = open_store(dir.path());
  auto view = store_reader::open(dir.path());
  REQUIRE(view);
  REQUIRE(merge_into(*view, *store, a.exported()));
  CHECK(read_solutions(*view)->size() == 1);
  CHECK(*view->get(table::skills, "worker") == "row");
}
