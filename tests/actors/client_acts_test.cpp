#include "actors/coordinator/client_acts.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/store/store_share.hpp"
#include "tests/actors/small_store.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

/// The acts of a store whose disk can be full.
struct acts_fixture {
  temp_dir dir;
  std::atomic<bool> full{false};
  std::promise<void> waits; ///< kept once the store waits for space
  std::unique_ptr<store_service> store;
  process_service processes;
  std::unique_ptr<client_acts> acts;

  acts_fixture() {
    auto o = options_for(dir / "store");
    o.retry_first = o.retry_ceiling = std::chrono::hours{1};
    o.commit_fault = [this] { return full ? ENOSPC : 0; };
    o.on_trouble = [this](const failure& why) {
      if (why.kind == failure_kind::disk_full)
        waits.set_value();
    };
    auto opened = store_service::open(o);
    REQUIRE(opened);
    store = std::move(*opened);
    acts = std::make_unique<client_acts>(*store, processes);
  }

  /// An export of another store, with a campaign in it.
  std::string exported() {
    auto other = open_store(dir / "other");
    small_campaign c{*other};
    typical(c);
    other->flush();
    auto reader = store_reader::open(dir / "other");
    REQUIRE(reader);
    REQUIRE(export_store(*reader, dir / "a.kex", {"", 1, "test"}));
    return dir / "a.kex";
  }
};

} // namespace

TEST_CASE_METHOD(acts_fixture, "a merge that waits for a full disk holds up nothing else, and not the end") {
  auto file = exported();
  full = true;
  awaited<control_reply> merged, refused;
  acts->merge(file, merged.callback());
  REQUIRE(waits.get_future().wait_for(std::chrono::seconds{20}) == std::future_status::ready);
  std::promise<void> posted;
  acts->post([&] { posted.set_value(); });
  CHECK(posted.get_future().wait_for(std::chrono::seconds{20}) == std::future_status::ready);
  acts->read({"", {"store"}, false}, refused.callback());
  CHECK(refused.get().exit_code == 2);
  acts->end(); // returns
  auto said = merged.get();
  CHECK(said.exit_code != 0);
  CHECK(said.json.find("is ending") != std::string::npos);
}

TEST_CASE_METHOD(acts_fixture,
                 "merges are carried out one after the other, and what comes after the end is refused") {
  auto file = exported();
  awaited<control_reply> first, second, absent, late, read;
  acts->merge(file, first.callback());
  acts->merge(file, second.callback());
  acts->merge(dir / "absent", absent.callback());
  CHECK(first.get().exit_code == 0);
  auto again = second.get();
  CHECK(again.exit_code == 0);
  CHECK(again.json.find(R"("added":{})") != std::string::npos);
  auto none = absent.get();
  CHECK(none.exit_code == 2);
  CHECK(none.json.find(dir.path()) == std::string::npos); // the client has its own name for it
  acts->end();
  acts->merge(file, late.callback());
  CHECK(late.get().exit_code != 0);
  acts->read({"", {"tree"}, false}, read.callback());
  CHECK(read.get().exit_code != 0);
}

TEST_CASE_METHOD(acts_fixture,
                 "what a killed owner and a killed client have left is removed by the store's next owner") {
  namespace fs = std::filesystem;
  auto before = std::getenv("TMPDIR");
  std::string was = before ? before : "";
  fs::create_directory(dir / "tmp");
  ::setenv("TMPDIR", (dir / "tmp").c_str(), 1);
  std::string left, others = dir / "tmp/ke-read-0123456789ab-XXXXXX";
  {
    reading_child child;
    REQUIRE(child.prepare(store->dir(), {"", {"tree"}, true}));
    left = child.folder.path();
    fs::copy(left, left + "-as a kill leaves it");
  }
  CHECK_FALSE(fs::exists(left)); // as long as nobody is killed
  left += "-as a kill leaves it";
  fs::create_directory(others);
  fs::create_directory(dir / "store/incoming");
  std::ofstream{dir / "store/incoming/file"} << "x";
  {
    client_acts next{*store, processes};
  }
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(others)); // of another store
  CHECK_FALSE(fs::exists(dir / "store/incoming"));
  before ? ::setenv("TMPDIR", was.c_str(), 1) : ::unsetenv("TMPDIR");
}

TEST_CASE_METHOD(acts_fixture, "a reading command names no file of the owner's machine") {
  for (std::vector<std::string> words :
       std::vector<std::vector<std::string>>{{},
                                             {"store", "check"},
                                             {"tree", "--store", "/"},
                                             {"tree", "--store=/"},
                                             {"tree", "--config", "x"},
                                             {"report", "-o", "x"},
                                             {"report", "-ox"},
                                             {"report", "--output=x"},
                                             {"tree", "--connect", "ipc:///x"},
                                             {"tree", "--key=x"},
                                             {"tree", "--"},
                                             {std::string("tree\0x", 6)}}) {
    awaited<control_reply> refused;
    acts->read({"", words, false}, refused.callback());
    CHECK(refused.get().exit_code == 2);
  }
  awaited<control_reply> odd;
  acts->read({"--store=/", {"tree"}, false}, odd.callback());
  CHECK(odd.get().exit_code == 2);
}
