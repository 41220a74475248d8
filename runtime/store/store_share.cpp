#include "runtime/store/store_share.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/store/prompt_sections.hpp"
#include "runtime/store/record.hpp"

#include <algorithm>
#include <functional>
#include <future>

namespace ke {
namespace {

constexpr std::size_t batch_bytes = 4u << 20;
constexpr std::size_t batch_rows = 1000;

// Keys of table `shared`.
std::string verdict_place(const std::string& key, const std::string& record) {
  return "verdict/" + key + "/" + record;
}
std::string call_place(const std::string& record) {
  return "call/" + record;
}
std::string merge_place(const export_origin& o) {
  return "merge/" + digest_of(pack(o));
}

using sink = std::function<void(shared_kind, std::string_view content)>;

/// Walks everything that an export holds, each record after the blobs that it names. Some come twice.
class walker {
public:
  walker(const store_reader& store, const std::string& campaign, sink out)
      : store_{store}, campaign_{campaign}, out_{std::move(out)} {}

  status run() {
    auto rows = store_.campaigns();
    if (!rows)
      return rows.error();
    for (auto& row : *rows)
      if (campaign_.empty() || row.name == campaign_)
        campaigns_.push_back(std::move(row));
    if (!campaign_.empty() && campaigns_.empty())
      return failure{failure_kind::not_found,
                     "the store " + store_.dir() + " holds no campaign named " + campaign_};
    for (auto part :
         {&walker::solutions, &walker::verdicts, &walker::calls, &walker::skills, &walker::merged})
      if (auto done = (this->*part)(); !done)
        return done;
    return ok;
  }

private:
  status blob(const std::string& digest) {
    if (digest.empty() || !blobs_.insert(digest).second)
      return ok;
    auto content = store_.blob(digest);
    if (!content)
      return content.error();
    out_(shared_kind::blob, *content);
    return ok;
  }

  status verdict_of(const std::string& key) {
    if (key.empty())
      return ok;
    auto row = store_.get(table::verdicts, key);
    if (!row)
      return row.error().kind == failure_kind::not_found ? ok : status{row.error()}; // or in another store
    out_(shared_kind::verdict, pack(shared_row{key, std::move(*row)}));
    return ok;
  }

  /// visit(key, row) -> status; the first failure ends it.
  template <class Row, class F>
  status each(table where, const std::string& prefix, F&& visit) {
    status wrong = ok;
    auto read = store_.rows<Row>(where, prefix, [&](std::string_view key, const Row& row) {
      wrong = visit(key, row);
      return static_cast<bool>(wrong);
    });
    return wrong ? read : wrong;
  }

  status solutions() {
    return each<solution_row>(table::solutions, {}, [&](std::string_view, const solution_row& row) -> status {
      if (!campaign_.empty() && (row.store != store_.id() || row.campaign != campaign_))
        return ok;
      for (const auto& digest : {row.source_digest, row.problem_digest})
        if (auto done = blob(digest); !done)
          return done;
      if (auto done = verdict_of(row.verdict_digest); !done)
        return done;
      out_(shared_kind::solution, pack(row));
      return ok;
    });
  }

  status verdicts() {
    if (campaign_.empty())
      return store_.scan(table::verdicts, {}, [&](std::string_view key, std::string_view value) {
        out_(shared_kind::verdict, pack(shared_row{std::string{key}, std::string{value}}));
        return true;
      });
    for (const auto& c : campaigns_)
      if (auto done = each<node_row>(table::nodes, key_of(c.id),
                                     [&](std::string_view, const node_row& row) -> status {
                                       for (const auto& key : row.verdict_digests)
                                         if (auto put = verdict_of(key); !put)
                                           return put;
                                       return ok;
                                     });
          !done)
        return done;
    return ok;
  }

  status calls() {
    for (const auto& c : campaigns_)
      if (auto done = each<call_row>(
              table::calls, key_of(c.id),
              [&](std::string_view key, const call_row& row) { return own_call(c, key, row); });
          !done)
        return done;
    return ok;
  }

  status own_call(const campaign_row& c, std::string_view key, const call_row& row) {
    auto word = [&](std::size_t i) { return static_cast<std::uint32_t>(number_of(key.substr(4 * i, 4))); };
    if (row.open || row.outcome != failure_kind::none || key.size() != 16)
      return ok; // no answer, or the part that came before its session ended
    auto node = store_.row<node_row>(table::nodes, key.substr(0, 12));
    if (!node)
      return node.error().kind == failure_kind::not_found ? ok : status{node.error()};
    if (is_open(node->state))
      return ok; // its rows still change
    shared_call call{store_.id(), c.name, {word(0), word(1), word(2)}, word(3), row, {}, c.problem_digest};
    if (row.prompt_digest == node->prompt_digest)
      call.sections_digest = node->sections_digest;
    return put_call(call);
  }

  status put_call(const shared_call& call) {
    for (const auto& digest : {call.call.reply_digest, call.sections_digest, call.problem_digest})
      if (auto done = blob(digest); !done)
        return done;
    if (!call.sections_digest.empty()) {
      auto bytes = store_.blob(call.sections_digest);
      if (!bytes)
        return bytes.error();
      auto sections = unpack_sections(*bytes);
      if (!sections)
        return sections.error();
      for (const auto& s : *sections)
        if (auto done = blob(s.digest); !done)
          return done;
    }
    out_(shared_kind::call, pack(call));
    return ok;
  }

  status skills() {
    return store_.scan(table::skills, {}, [&](std::string_view key, std::string_view value) {
      out_(shared_kind::skill, pack(shared_row{std::string{key}, std::string{value}}));
      return true;
    });
  }

  status merged() {
    if (!campaign_.empty())
      return ok;
    auto done = store_.scan(table::shared, "verdict/", [&](std::string_view, std::string_view value) {
      out_(shared_kind::verdict, value);
      return true;
    });
    if (!done)
      return done;
    return each<shared_call>(table::shared, "call/",
                             [&](std::string_view, const shared_call& call) { return put_call(call); });
  }

  const store_reader& store_;
  std::string campaign_;
  sink out_;
  std::vector<campaign_row> campaigns_;
  std::set<std::string> blobs_;
};

class merger {
public:
  merger(const store_reader& view, store_port& to, const skill_join& join)
      : view_{view}, to_{to}, join_{join} {}

  result<merge_report> run(const std::string& path) {
    {
      auto whole = export_reader::open(path);
      if (!whole)
        return whole.error();
      for (auto more = true; more;) {
        auto record = (*whole)->next();
        if (!record)
          return record.error();
        more = record->kind != shared_kind::end;
      }
    }
    auto in = export_reader::open(path);
    if (!in)
      return in.error();
    report_.from = (*in)->header();
    for (;;) {
      auto record = (*in)->next();
      if (!record)
        return record.error();
      if (record->kind == shared_kind::end)
        break;
      if (auto done = take(*record); !done)
        return failure{done.error().kind, path + ": " + done.error().text};
      if (bytes_ >= batch_bytes || batch_.puts.size() >= batch_rows)
        if (auto done = commit(); !done)
          return done.error();
    }
    remember(report_.from.from);
    for (const auto& o : report_.from.history)
      remember(o);
    if (auto done = commit(); !done)
      return done.error();
    return report_;
  }

private:
  status take(const export_record& r) {
    report_.records += r.kind != shared_kind::blob;
    switch (r.kind) {
    case shared_kind::blob:
      if (auto digest = digest_of(r.content); blobs_.insert(digest), view_.has_blob(digest))
        return ok;
      bytes_ += r.content.size();
      batch_.blob(r.content);
      ++report_.added["blob"];
      return ok;
    case shared_kind::verdict:
      return take_verdict(r);
    case shared_kind::call:
      return take_call(r);
    case shared_kind::solution:
      return take_solution(r);
    case shared_kind::skill:
      return take_skill(r);
    case shared_kind::end:
      break;
    }
    return ok; // of a kind that a later version added: without it the rest is still right
  }

  void put(shared_kind kind, table where, std::string key, std::string value) {
    bytes_ += key.size() + value.size();
    batch_.put(where, std::move(key), std::move(value));
    ++report_.added[std::string{to_text(kind)}];
  }

  /// Other stores' verdicts are kept beside the own ones: a measurement elsewhere must not rank a candidate
  /// here, nor replace the verdict that an own node was judged by.
  status take_verdict(const export_record& r) {
    auto row = unpack<shared_row>(r.content);
    if (!row)
      return row.error();
    auto place = verdict_place(row->key, digest_of_record(r.kind, r.content));
    if (auto own = view_.get(table::verdicts, row->key); (own && *own == row->value))
      return ok;
    if (!view_.get(table::shared, place))
      put(r.kind, table::shared, std::move(place), r.content);
    return ok;
  }

  status take_call(const export_record& r) {
    auto call = unpack<shared_call>(r.content);
    if (!call)
      return call.error();
    auto place = call_place(digest_of_record(r.kind, r.content));
    if (!is_own(*call) && !view_.get(table::shared, place))
      put(r.kind, table::shared, std::move(place), r.content);
    return ok;
  }

  /// Of this very store, and not of a copy of it that went on by itself.
  bool is_own(const shared_call& call) const {
    if (call.store != view_.id())
      return false;
    auto own = view_.row<call_row>(table::calls,
                                   key_of(call.node.campaign, call.node.tree, call.node.node, call.attempt));
    return own && pack(*own) == pack(call.call);
  }

  status take_solution(const export_record& r) {
    auto row = unpack<solution_row>(r.content);
    if (!row)
      return row.error();
    for (const auto& digest : {row->source_digest, row->problem_digest})
      if (!digest.empty() && !blobs_.contains(digest) && !view_.has_blob(digest))
        return failure{failure_kind::corrupt, "a solution of campaign " + row->campaign +
                                                  " names content that the export does not hold (" + digest +
                                                  "): export it again"};
    auto key = key_of(*row);
    auto present = view_.row<solution_row>(table::solutions, key);
    if (!present || !(newer_of(*present, *row) == *present))
      put(r.kind, table::solutions, std::move(key), r.content);
    return ok;
  }

  status take_skill(const export_record& r) {
    auto row = unpack<shared_row>(r.content);
    if (!row)
      return row.error();
    auto present = view_.get(table::skills, row->key);
    auto value = !present || *present == row->value ? row->value
                 : join_                            ? join_(*present, row->value)
                                                    : std::max(*present, row->value);
    if (!present || value != *present)
      put(r.kind, table::skills, row->key, std::move(value));
    return ok;
  }

  void remember(const export_origin& o) {
    auto key = merge_place(o);
    if (o.store != view_.id() && !view_.get(table::shared, key))
      batch_.put(table::shared, key, pack(o));
  }

  status commit() {
    if (batch_.puts.empty() && batch_.blobs.empty())
      return ok;
    auto done = std::make_shared<std::promise<status>>();
    auto committed = done->get_future();
    to_.write(std::exchange(batch_, {}), [done](status s) { done->set_value(std::move(s)); });
    bytes_ = 0;
    return committed.get();
  }

  const store_reader& view_;
  store_port& to_;
  const skill_join& join_;
  store_batch batch_;
  std::size_t bytes_ = 0;
  std::set<std::string> blobs_; ///< of the file, so far: they come before what names them
  merge_report report_;
};

} // namespace

result<export_summary> export_store(const store_reader& store, const std::string& path,
                                    const export_options& options) {
  auto history = merged_exports(store);
  if (!history)
    return history.error();
  export_header header;
  header.from = {store.id(), options.campaign, options.unix_ms, options.program};
  if (options.campaign.empty())
    header.history = std::move(*history);
  auto out = export_writer::create(path, header);
  if (!out)
    return out.error();
  auto done = walker{
      store, options.campaign, [&](shared_kind kind, std::string_view content) {
        (*out)->add(kind, content);
      }}.run();
  if (!done)
    return done.error();
  return (*out)->finish();
}

result<merge_report> merge_into(const store_reader& view, store_port& to, const std::string& path,
                                const skill_join& join) {
  return merger{view, to, join}.run(path);
}

result<std::vector<solution_row>> read_solutions(const store_reader& store, const std::string& family) {
  std::vector<solution_row> all;
  auto prefix = family.empty() ? std::string{} : solution_prefix(family);
  auto done =
      store.rows<solution_row>(table::solutions, prefix, [&](std::string_view, const solution_row& r) {
        all.push_back(r);
        return true;
      });
  if (!done)
    return done.error();
  return all;
}

result<std::vector<export_origin>> merged_exports(const store_reader& store) {
  std::vector<export_origin> all;
  auto done =
      store.rows<export_origin>(table::shared, "merge/", [&](std::string_view, const export_origin& o) {
        all.push_back(o);
        return true;
      });
  if (!done)
    return done.error();
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair{a.exported_unix_ms, a.store} < std::pair{b.exported_unix_ms, b.store};
  });
  return all;
}

} // namespace ke
