#include "runtime/core/rows.hpp"
#include "tests/places.hpp"
#include "tests/store/power/power_loss.hpp"
#include "tests/store/power/workload.hpp"
#include "tests/store/temp_store.hpp"

#include "runtime/store/export_file.hpp"

#include <cstdlib>
#include <set>

using namespace ke;

#ifndef KE_SANITIZED // a sanitizer replaces the functions that the recorder listens to

namespace {

/// The life of a store, recorded; `deaf`: the kinds of sync that the recorder did not hear.
struct recorded {
  temp_dir dir;
  std::unique_ptr<power::power_loss> log;

  explicit recorded(const std::string& deaf) {
    std::filesystem::create_directory(dir / "store");
    const auto store = dir / "store";
    const auto programs = std::string{test::binary_dir()} + "/tests";
    auto child = ::fork();
    if (child == 0) {
      ::setenv("KE_POWER_ROOT", store.c_str(), 1);
      ::setenv("KE_POWER_LOG", (dir / "log").c_str(), 1);
      ::setenv("KE_POWER_DEAF", deaf.c_str(), 1);
      ::setenv("LD_PRELOAD", (programs + "/libke_power_shim.so").c_str(), 1);
      ::execl((programs + "/ke_power_writer").c_str(), "ke_power_writer", store.c_str(), nullptr);
      ::_exit(127);
    }
    int how = 0;
    ::waitpid(child, &how, 0);
    REQUIRE(how == 0);
    log = std::make_unique<power::power_loss>(dir / "log");
    REQUIRE(log->announced(log->acts()).size() == power::nodes + power::nodes / 10 + 1);
  }
};

enum class outcome : int { sound = 0, lost = 10, unreadable = 11 };

/// Opens what is left and looks for what was told to be safe. In a process of its own, which a damaged file
/// may kill.
outcome reopened(const std::string& dir, const std::vector<std::uint64_t>& safe) {
  auto child = ::fork();
  if (child == 0) {
    for (int fatal : {SIGBUS, SIGSEGV, SIGABRT})
      ::signal(fatal, SIG_DFL);
    auto end = [](outcome o, const std::string& why = {}) {
      if (o != outcome::sound)
        std::fprintf(stderr, "%s\n", why.c_str());
      ::_exit(static_cast<int>(o));
    };
    auto options = options_for(dir);
    options.map_bytes = 64u << 20;
    auto store = store_service::open(options);
    if (!store)
      end(outcome::unreadable, store.error().text);
    auto reader = store_reader::open(dir);
    if (!reader)
      end(outcome::unreadable, reader.error().text);
    std::uint64_t image = 0;
    for (auto number : safe) {
      if (number == power::exported) {
        std::string content;
        auto file = export_reader::open(dir + "/" + power::export_name);
        if (!file)
          end(outcome::lost, file.error().text);
        for (bool more = true; more;) {
          auto record = (*file)->next();
          if (!record)
            end(outcome::lost, record.error().text);
          more = record->kind != shared_kind::end;
        }
      } else if (number >= power::first_image) {
        image = number - power::first_image;
      } else {
        auto i = static_cast<std::uint32_t>(number);
        auto row = reader->row<node_row>(table::nodes, key_of(1, 0, i));
        auto blob = row ? reader->blob(row->source_digest) : result<std::string>{row.error()};
        if (!blob || *blob != power::source(i))
          end(outcome::lost, "node " + std::to_string(i) + ": " + (blob ? "other bytes" : blob.error().text));
      }
    }
    if (auto found = read_image(dir, 1); image != 0 || std::filesystem::exists(image_path(dir, 1))) {
      if (!found)
        end(image != 0 ? outcome::lost : outcome::unreadable, found.error().text);
      if (found->header.records < image || found->body != power::image_body(found->header.records))
        end(outcome::lost, "an older image");
    }
    if (journal_length(*reader, 1) != *reader->count(table::nodes))
      end(outcome::unreadable, "half of a batch");
    auto report = check_store(dir);
    if (!report || !report->sound())
      end(outcome::unreadable, report ? report->problems.front() : report.error().text);
    end(outcome::sound);
  }
  int how = 0;
  ::waitpid(child, &how, 0);
  if (WIFEXITED(how) && (WEXITSTATUS(how) == 0 || WEXITSTATUS(how) == static_cast<int>(outcome::lost)))
    return static_cast<outcome>(WEXITSTATUS(how));
  return outcome::unreadable;
}

outcome after_power_loss(const recorded& life, std::size_t acts, unsigned seed) {
  // In memory where there is some: opening it syncs, which is not the question here.
  temp_dir left{::access("/dev/shm", W_OK) == 0 ? std::filesystem::path{"/dev/shm"}
                                                : std::filesystem::temp_directory_path()};
  life.log->materialise(acts, seed, left.path());
  return reopened(left.path(), life.log->announced(acts));
}

int images() {
  const char* wanted = std::getenv("KE_POWER_IMAGES"); // scripts/test.sh asks for 1000
  return wanted ? std::max(1, std::atoi(wanted)) : 100;
}

} // namespace

TEST_CASE("a power cut at any moment loses no acknowledged record and leaves a store that opens") {
  recorded life{""};
  std::random_device device;
  auto seed = device();
  CAPTURE(seed);
  std::mt19937 random{seed};
  for (int i = 0; i < images(); ++i) {
    auto acts = random() % (life.log->acts() + 1);
    auto of_image = random();
    CAPTURE(acts, of_image);
    CHECK(after_power_loss(life, acts, of_image) == outcome::sound);
  }
  CHECK(after_power_loss(life, life.log->acts(), random()) == outcome::sound);
}

TEST_CASE("the power cut sees what a store without its syncs would lose") {
  // The negative control: the same life, with a kind of sync that the disk never heard of.
  auto deaf = GENERATE(as<std::string>{}, "all", "data", "file", "folder");
  CAPTURE(deaf);
  recorded life{deaf};
  std::mt19937 random{7};
  int lost = 0;
  for (int i = 0; i < 100 && lost < 3; ++i)
    lost += after_power_loss(life, life.log->acts() / 2 + random() % (life.log->acts() / 2), random()) !=
                    outcome::sound
                ? 1
                : 0;
  CHECK(lost == 3);
}

#endif

TEST_CASE("a sector of a write that was not synced is old or new, and a synced one is new") {
  // The model itself, by a log of our own: two sectors synced, then both overwritten, then one of them
  // synced.
  temp_dir dir;
  using power::act, power::header;
  std::string a(1024, 'a'), b(1024, 'b'), log;
  auto note = [&](header h, const std::string& name, const std::string& data = {}) {
    h.names = static_cast<std::uint32_t>(name.size());
    h.bytes = data.size();
    log.append(reinterpret_cast<const char*>(&h), sizeof h);
    log += name + data;
  };
  note({act::create, 0, 0, 5, 0, 0, 0}, "file");
  note({act::sync, 0, 0, 1, 0, 0, 1}, "");
  note({act::write, 0, 0, 5, 0, 0, 0}, "", a);
  note({act::sync, 0, 0, 5, 0, 0, 0}, "");
  note({act::write, 0, 0, 5, 0, 0, 0}, "", b);
  note({act::write, 0, 0, 5, 512, 1, 0}, "", std::string(512, 'c'));
  note({act::announce, 0, 0, 0, 9, 0, 0}, "");
  std::ofstream{dir / "log", std::ios::binary} << log;
  power::power_loss lost{dir / "log"};
  REQUIRE(lost.acts() == 7);
  CHECK(lost.announced(7) == std::vector<std::uint64_t>{9});
  CHECK(lost.announced(6).empty());
  std::set<std::string> seen;
  for (unsigned seed = 0; seed < 200; ++seed) {
    temp_dir to;
    lost.materialise(7, seed, to.path());
    std::ifstream in{to / "file", std::ios::binary};
    seen.insert({std::istreambuf_iterator<char>{in}, {}});
  }
  CHECK(seen == std::set<std::string>{std::string(512, 'a') + std::string(512, 'c'),
                                      std::string(512, 'b') + std::string(512, 'c')});
}
