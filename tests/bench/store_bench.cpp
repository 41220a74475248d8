// Two questions of performance.md: how many bytes the store keeps per node (G9), and how its durable commits
// compare with bare LMDB at 100 candidates a transaction with the same records (G10). Prints JSON; both sides
// alternate in one run.
//
//   ke_store_bench [nodes] [directory]

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/types.hpp"
#include "runtime/store/record.hpp"
#include "runtime/store/store_service.hpp"

#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <random>

namespace {

using namespace ke;
using steady = std::chrono::steady_clock;

constexpr std::size_t payload_bytes = 1500;
constexpr std::uint32_t in_flight =
    400; ///< candidates whose acknowledgement is awaited at a time: a few groups

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

/// The records of one judged candidate, without its source.
std::vector<record> records_of(std::uint32_t node, const std::string& source_digest) {
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
  auto key = key_of(1, 0, node);
  return {{table::nodes, key, pack(row)},
          {table::hot, key, pack(hot)},
          {table::children, key_of(1, 0, node / 8), key_of(node)},
          {table::verdicts, row.verdict_digests[0], pack(verdict{})}};
}

store_batch batch_of(std::uint32_t node) {
  store_batch b;
  for (auto& r : records_of(node, b.blob(payload(node))))
    b.put(r.where, r.key, r.value);
  b.journal.emplace_back(1, journal_record{journal_kind::judged, node, 0, pack(journal_judged{0, node, 0})});
  return b;
}

struct measured {
  double per_s = 0;
  double p99_ms = 0; ///< from write to acknowledgement
  std::uint64_t commits = 0;
  double bytes_per_node = 0;
};

measured run_store(const std::string& dir, std::uint32_t nodes) {
  store_options options;
  options.dir = dir;
  auto store = store_service::open(options);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().text.c_str());
    std::exit(1);
  }
  std::vector<store_batch> batches;
  for (std::uint32_t i = 0; i < nodes; ++i)
    batches.push_back(batch_of(i));
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
  std::sort(waits.begin(), waits.end());
  m.p99_ms = waits[waits.size() * 99 / 100] * 1e3;
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

/// The same records, put by bare LMDB: no checksums, no digests, no compression, no queue; encoded before the
/// clock starts.
measured run_bare(const std::string& dir, std::uint32_t nodes) {
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
    must(mdb_dbi_open(txn, std::string{names_of<table>::value[i]}.c_str(),
                      MDB_CREATE | (static_cast<table>(i) == table::children ? MDB_DUPSORT : 0), &tables[i]));
  must(mdb_txn_commit(txn));
  std::vector<std::vector<record>> all;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    auto bytes = payload(i);
    auto digest = digest_of(bytes);
    auto records = records_of(i, digest);
    records.push_back({table::digests, digest_key(digest), pack(blob_place{i, bytes.size(), bytes.size()})});
    records.push_back({table::blobs, sequence_key(i), std::move(bytes)});
    records.push_back({table::journal, journal_key(1, i),
                       pack(journal_record{journal_kind::judged, i, 0, pack(journal_judged{0, i, 0})})});
    all.push_back(std::move(records));
  }
  auto begin = steady::now();
  measured m;
  for (std::uint32_t first = 0; first < nodes; first += 100) {
    must(mdb_txn_begin(env, nullptr, 0, &txn));
    for (auto i = first; i < std::min(nodes, first + 100); ++i)
      for (auto& r : all[i]) {
        MDB_val key{r.key.size(), r.key.data()}, value{r.value.size(), r.value.data()};
        must(mdb_put(txn, tables[static_cast<std::size_t>(r.where)], &key, &value, 0));
      }
    must(mdb_txn_commit(txn));
    ++m.commits;
  }
  m.per_s = nodes / seconds_since(begin);
  mdb_env_close(env);
  m.bytes_per_node = static_cast<double>(std::filesystem::file_size(dir + "/data.mdb")) / nodes;
  return m;
}

void print(const char* name, const measured& m) {
  std::printf("  \"%s\": {\"durable_candidates_per_s\": %.0f, \"commits\": %llu, \"p99_wait_ms\": %.1f, "
              "\"bytes_per_node\": %.0f},\n",
              name, m.per_s, static_cast<unsigned long long>(m.commits), m.p99_ms, m.bytes_per_node);
}

} // namespace

int main(int argc, char** argv) {
  auto nodes = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 20000);
  auto root = std::string{argc > 2 ? argv[2] : "."} + "/store_bench." + std::to_string(::getpid());
  measured store, bare;
  for (int i = 0; i < 3; ++i) { // the best of three alternating runs each
    auto dir = root + "/" + std::to_string(i);
    auto b = run_bare(dir + "/bare", nodes);
    auto s = run_store(dir + "/store", nodes);
    bare = b.per_s > bare.per_s ? b : bare;
    store = s.per_s > store.per_s ? s : store;
    std::filesystem::remove_all(dir);
  }
  std::filesystem::remove_all(root);
  std::printf("{\n  \"nodes\": %u, \"payload_bytes\": %zu,\n", nodes, payload_bytes);
  print("store", store);
  print("bare_lmdb", bare);
  std::printf("  \"g9_bytes_over_payload\": %.2f, \"g10_rate_over_bare\": %.2f\n}\n",
              store.bytes_per_node / static_cast<double>(payload_bytes), store.per_s / bare.per_s);
}
