// Two questions of performance.md: how many bytes the store keeps per node (G9), and how the rate of its
// durable commits under load compares with bare LMDB (G10). Both sides write the same bytes: eight records a
// candidate, six at keys in no order (nodes, hot, children, calls, verdicts, digests) and two appended
// (blobs, journal). Bare LMDB gets them ready-made, 100 candidates to a transaction; the store makes
// checksums, compresses and numbers them itself, while `in flight` candidates await their acknowledgement.
// Prints JSON; both sides alternate in one run.
//
//   store_bench [nodes=10000] [directory=.] [in flight=100] [rounds=3]

#include "runtime/core/call_row.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/store/record.hpp"
#include "runtime/store/store_service.hpp"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <random>

namespace {

using namespace ke;
using steady = std::chrono::steady_clock;

constexpr std::size_t payload_bytes = 1500;
constexpr std::uint32_t group = 100; ///< candidates in a transaction of bare LMDB

double seconds_since(steady::time_point begin) {
  return std::chrono::duration<double>(steady::now() - begin).count();
}

/// Random bytes: nothing here is won by compression.
std::string payload(std::uint32_t node) {
  std::mt19937_64 generator{node};
  std::string bytes(payload_bytes, '\0');
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    auto x = generator();
    std::copy_n(reinterpret_cast<const char*>(&x), 8, bytes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return bytes;
}

struct record {
  table where;
  std::string key, value;
};

/// The rows of one judged candidate. `node` comes in no order.
std::vector<record> rows_of(std::uint32_t node, const std::string& source_digest) {
  node_row row;
  row.parents = {node / 8};
  row.state = node_state::correct;
  row.scores = {1.25};
  row.model = "model";
  row.source_digest = source_digest;
  row.verdict_digests = {digest_of("verdict" + std::to_string(node))};
  hot_row hot;
  hot.parent = node / 8;
  hot.state = row.state;
  call_row call;
  call.model = row.model;
  call.prompt_digest = row.verdict_digests[0];
  call.reply_digest = source_digest;
  call.open = false;
  auto key = key_of(1, 0, node);
  return {{table::nodes, key, pack(row)},
          {table::hot, key, pack(hot)},
          {table::calls, key_of(1, 0, node, 1), pack(call)},
          {table::verdicts, row.verdict_digests[0], pack(verdict{})}};
}

journal_record told(std::uint32_t node) {
  return {journal_kind::judged, node, 0, pack(journal_judged{0, node, 0})};
}

/// Numbers from 0, shuffled among `reach` neighbours: all of them for keys in no order, as many as are in
/// flight for the order in which a campaign's candidates end.
std::vector<std::uint32_t> shuffled(std::uint32_t nodes, std::uint32_t reach) {
  std::vector<std::uint32_t> all(nodes);
  std::iota(all.begin(), all.end(), 0u);
  std::mt19937 random{7};
  for (std::uint32_t first = 0; first < nodes; first += reach)
    std::shuffle(all.begin() + first, all.begin() + std::min(nodes, first + reach), random);
  return all;
}

store_batch batch_of(std::uint32_t node) {
  store_batch b;
  for (auto& r : rows_of(node, b.blob(payload(node))))
    b.put(r.where, std::move(r.key), std::move(r.value));
  b.journal.emplace_back(1, told(node));
  return b;
}

/// The same as the store will write it, as the `i`-th candidate.
std::vector<record> records_of(std::uint32_t i, std::uint32_t node) {
  auto bytes = payload(node);
  auto digest = digest_of(bytes);
  auto packed = compress(bytes);
  std::vector<record> all = {
      {table::blobs, sequence_key(i), packed},
      {table::digests, digest_key(digest), pack(blob_place{i, bytes.size(), packed.size()})}};
  for (auto& r : rows_of(node, digest))
    all.push_back(std::move(r));
  all.push_back({table::journal, journal_key(1, i), pack(told(node))});
  for (auto& r : all)
    r.value = seal(r.where, r.key, r.value);
  return all;
}

struct measured {
  double per_s = 0;
  double p50_ms = 0, p99_ms = 0; ///< store: from write to acknowledgement; bare: of a transaction
  std::uint64_t commits = 0;
  double bytes_per_node = 0;

  void waited(std::vector<double>& seconds) {
    std::sort(seconds.begin(), seconds.end());
    p50_ms = seconds[seconds.size() / 2] * 1e3;
    p99_ms = seconds[seconds.size() * 99 / 100] * 1e3;
  }
};

measured run_store(const std::string& dir, std::uint32_t nodes, std::uint32_t in_flight,
                   std::uint32_t reach) {
  store_options options;
  options.dir = dir;
  auto store = store_service::open(options);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().text.c_str());
    std::exit(1);
  }
  std::vector<store_batch> batches;
  for (auto node : shuffled(nodes, reach))
    batches.push_back(batch_of(node));
  std::mutex guard;
  std::condition_variable changed;
  std::uint32_t open = 0;
  std::vector<double> waits;
  auto begin = steady::now();
  for (auto& b : batches) {
    {
      std::unique_lock lock{guard};
      changed.wait(lock, [&] { return open < in_flight; });
      ++open;
    }
    (*store)->write(std::move(b), [&, sent = steady::now()](status s) {
      std::lock_guard lock{guard};
      waits.push_back(s ? seconds_since(sent) : 1e9);
      --open;
      changed.notify_one();
    });
  }
  (*store)->flush();
  measured m;
  m.per_s = nodes / seconds_since(begin);
  m.commits = (*store)->now().commits;
  m.waited(waits);
  store->reset();
  m.bytes_per_node = static_cast<double>(std::filesystem::file_size(dir + "/data.mdb")) / nodes;
  return m;
}

void must(int rc) {
  if (rc != 0) {
    std::fprintf(stderr, "lmdb: %s\n", mdb_strerror(rc));
    std::exit(1);
  }
}

/// No checksums, no digests, no compression, no queue: all that was done before the clock starts.
measured run_bare(const std::string& dir, std::uint32_t nodes, std::uint32_t per_transaction) {
  std::filesystem::create_directories(dir);
  MDB_env* env = nullptr;
  must(mdb_env_create(&env));
  must(mdb_env_set_maxdbs(env, 32));
  must(mdb_env_set_mapsize(env, std::size_t{64} << 30));
  must(mdb_env_open(env, dir.c_str(), 0, 0600));
  std::vector<MDB_dbi> tables(names_of<table>::value.size());
  MDB_txn* txn = nullptr;
  must(mdb_txn_begin(env, nullptr, 0, &txn));
  for (std::size_t i = 0; i < tables.size(); ++i)
    must(mdb_dbi_open(txn, std::string{names_of<table>::value[i]}.c_str(), MDB_CREATE, &tables[i]));
  must(mdb_txn_commit(txn));
  std::vector<std::vector<record>> all;
  auto order = shuffled(nodes, nodes);
  for (std::uint32_t i = 0; i < nodes; ++i)
    all.push_back(records_of(i, order[i]));
  std::vector<std::string> last(tables.size());
  std::vector<double> took;
  auto begin = steady::now();
  measured m;
  for (std::uint32_t first = 0; first < nodes; first += per_transaction) {
    auto started = steady::now();
    must(mdb_txn_begin(env, nullptr, 0, &txn));
    for (auto i = first; i < std::min(nodes, first + per_transaction); ++i)
      for (auto& r : all[i]) {
        auto t = static_cast<std::size_t>(r.where);
        bool beyond = r.key > last[t];
        MDB_val key{r.key.size(), r.key.data()}, value{r.value.size(), r.value.data()};
        must(mdb_put(txn, tables[t], &key, &value, beyond ? MDB_APPEND : 0));
        if (beyond)
          last[t] = r.key;
      }
    must(mdb_txn_commit(txn));
    took.push_back(seconds_since(started));
    ++m.commits;
  }
  m.per_s = nodes / seconds_since(begin);
  m.waited(took);
  mdb_env_close(env);
  m.bytes_per_node = static_cast<double>(std::filesystem::file_size(dir + "/data.mdb")) / nodes;
  return m;
}

/// Milliseconds of writing and syncing 4 KiB: the median of 101.
double sync_ms(const std::string& dir) {
  std::filesystem::create_directories(dir);
  auto path = dir + "/sync";
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  std::string page(4096, 'x');
  std::vector<double> took;
  for (int i = 0; i < 101; ++i) {
    auto begin = steady::now();
    if (::pwrite(fd, page.data(), page.size(), i * 4096) != 4096 || ::fdatasync(fd) != 0)
      must(errno);
    took.push_back(seconds_since(begin));
  }
  ::close(fd);
  std::sort(took.begin(), took.end());
  return took[took.size() / 2] * 1e3;
}

void print(const char* name, const measured& m) {
  std::printf(
      "  \"%s\": {\"durable_candidates_per_s\": %.0f, \"commits\": %llu, \"p50_ms\": %.2f, \"p99_ms\": "
      "%.2f, \"bytes_per_node\": %.0f},\n",
      name, m.per_s, static_cast<unsigned long long>(m.commits), m.p50_ms, m.p99_ms, m.bytes_per_node);
}

} // namespace

int main(int argc, char** argv) {
  auto nodes = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 10000);
  auto root = std::string{argc > 2 ? argv[2] : "."} + "/store_bench." + std::to_string(::getpid());
  auto in_flight = static_cast<std::uint32_t>(argc > 3 ? std::atoi(argv[3]) : 100);
  auto rounds = argc > 4 ? std::atoi(argv[4]) : 3;
  measured store, bare, single;
  double sync = 1e9;
  for (int i = 0; i < rounds; ++i) { // the best of alternating runs each
    auto dir = root + "/" + std::to_string(i);
    sync = std::min(sync, sync_ms(dir));
    auto b = run_bare(dir + "/bare", nodes, group);
    auto s = run_store(dir + "/store", nodes, in_flight, nodes);
    auto one = run_bare(dir + "/single", std::min(nodes, 1000u), 1);
    bare = b.per_s > bare.per_s ? b : bare;
    store = s.per_s > store.per_s ? s : store;
    single = one.per_s > single.per_s ? one : single;
    std::filesystem::remove_all(dir);
  }
  auto campaign = run_store(root + "/campaign", nodes, in_flight, in_flight);
  std::filesystem::remove_all(root);
  std::printf("{\n  \"nodes\": %u, \"payload_bytes\": %zu, \"in_flight\": %u, \"sync_ms\": %.2f,\n", nodes,
              payload_bytes, in_flight, sync);
  print("store", store);
  print("bare_lmdb", bare);
  print("bare_lmdb_one_a_transaction", single);
  print("store_in_a_campaigns_order", campaign);
  auto payload = static_cast<double>(payload_bytes);
  std::printf("  \"g9_bytes_over_payload\": %.2f, \"g10_rate_over_bare\": %.2f, "
              "\"g10_p99_wait_over_p99_bare_commit\": %.2f, \"p99_wait_in_syncs_of_4_kib\": %.1f\n}\n",
              campaign.bytes_per_node / payload, store.per_s / bare.per_s, store.p99_ms / bare.p99_ms,
              store.p99_ms / sync);
}
