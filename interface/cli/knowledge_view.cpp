#include "interface/cli/knowledge_view.hpp"

#include "runtime/text/json_line.hpp"
#include "runtime/text/nearest_name.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

std::string dump(const json& j) {
  return json_line(j);
}

failure wrong(std::string text) {
  return {failure_kind::invalid, std::move(text)};
}

status one_of(const std::string& key, const std::string& value, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end())
    return ok;
  std::string all;
  for (const auto& k : known)
    all += (all.empty() ? "" : ", ") + k;
  return wrong("--signal " + key + "=" + value + ": there is no such " + key + did_you_mean(value, known) +
               "; known: " + all);
}

status apply(const std::string& key, const std::string& value, signal_query& q, bool& evaluated, bool& deep) {
  static const std::vector<std::string> keys{"bottleneck", "cause",    "failure", "message",
                                             "dtype",      "language", "depth"};
  if (key == "depth") {
    auto end = value.data() + value.size();
    auto [at, error] = std::from_chars(value.data(), end, q.depth);
    if (error != std::errc{} || at != end)
      return wrong("--signal depth=" + value + ": the depth of a node is a whole number from 0");
    deep = true;
    return ok;
  }
  if (key == "dtype") {
    q.dtypes.push_back(value);
    return one_of(key, value, known_dtypes());
  }
  if (key == "language" || key == "cause") {
    (key == "cause" ? q.cause : q.language) = value;
    evaluated = evaluated || key == "cause";
    return ok;
  }
  if (key == "message") {
    q.message += (q.message.empty() ? "" : "\n") + value;
    evaluated = true;
    return ok;
  }
  auto* to = key == "bottleneck" ? &q.bottleneck : key == "failure" ? &q.failure : nullptr;
  if (!to)
    return wrong("--signal " + key + "=" + value + ": there is no such signal" + did_you_mean(key, keys) +
                 "; known: bottleneck, cause, failure, message, dtype, language, depth");
  if (!to->empty())
    return wrong("--signal " + key + "=" + value + ": a candidate has one " + key + ", and " + *to +
                 " was given");
  *to = value;
  evaluated = true;
  return one_of(key, value, key == "bottleneck" ? known_bottlenecks() : known_failures());
}

/// The program's targets, and those that a document names without a star.
std::vector<std::string> targets_in(const corpus& in) {
  std::set<std::string> names{known_targets().begin(), known_targets().end()};
  for (const auto& d : in.documents())
    for (const auto& t : d.targets)
      if (t.find('*') == t.npos)
        names.insert(t);
  return {names.begin(), names.end()};
}

json signals_json(const document& d) {
  return {{"bottleneck", d.signals.bottleneck},
          {"cause", d.signals.cause},
          {"failure", d.signals.failure},
          {"message", d.signals.message}};
}

std::string listed(const std::vector<std::string>& words, const char* if_none) {
  std::string all;
  for (const auto& w : words)
    all += (all.empty() ? "" : ", ") + w;
  return all.empty() ? if_none : all;
}

} // namespace

result<signal_query> read_query(const corpus& in, const std::vector<std::string>& signals,
                                const std::string& target, const std::string& family) {
  signal_query q;
  bool evaluated = false, deep = false;
  for (const auto& s : signals) {
    auto eq = s.find('=');
    if (eq == s.npos)
      return wrong("--signal " + s + ": write KEY=VALUE, e.g. bottleneck=memory");
    if (auto done = apply(s.substr(0, eq), s.substr(eq + 1), q, evaluated, deep); !done)
      return done.error();
  }
  if (evaluated && !deep)
    q.depth = 1;
  if (auto known = targets_in(in);
      !target.empty() && std::find(known.begin(), known.end(), target) == known.end())
    return wrong("--target " + target + ": no document is about it" + did_you_mean(target, known) +
                 "; known: " + listed(known, ""));
  if (!target.empty())
    q.targets = {target};
  q.family = family;
  return q;
}

result<const document*> wanted_document(const corpus& in, const std::string& id) {
  if (const auto* d = in.find(id))
    return d;
  std::vector<std::string> ids;
  for (const auto& d : in.documents())
    ids.push_back(d.id);
  auto learnt = std::any_of(in.documents().begin(), in.documents().end(),
                            [](const document& d) { return d.kind == document_kind::skill; });
  auto hint = id.starts_with("skill/") && !learnt ? "; skills are kept in a store: name it with --store DIR"
                                                  : "; `ke-runtime knowledge show` lists them";
  return failure{failure_kind::not_found, "there is no document " + id + did_you_mean(id, ids) + hint};
}

std::string document_json(const document& d, bool with_body) {
  json j = {{"id", d.id},
            {"title", d.title},
            {"kind", to_text(d.kind)},
            {"targets", d.targets},
            {"families", d.families},
            {"dtypes", d.dtypes},
            {"languages", d.languages},
            {"signals", signals_json(d)},
            {"level", d.level},
            {"sources", d.sources},
            {"path", d.path}};
  if (with_body)
    j["body"] = d.body;
  return dump(j);
}

std::string search_json(const std::vector<retrieved>& found) {
  auto all = json::array();
  for (const auto& r : found) {
    const auto& d = *r.document;
    all.push_back({{"id", d.id},
                   {"kind", to_text(d.kind)},
                   {"targets", d.targets},
                   {"signals", signals_json(d)},
                   {"level", d.level},
                   {"score", r.score},
                   {"path", d.path},
                   {"title", d.title}});
  }
  return dump(all);
}

void write_search_text(const std::vector<retrieved>& found, std::ostream& out) {
  if (found.empty())
    out << "no document fits\n";
  for (const auto& r : found) {
    char line[64];
    std::snprintf(line, sizeof line, "%6.2f  level %u  ", r.score, r.document->level);
    out << line << r.document->id << "\n                 " << r.document->title << '\n';
  }
}

void write_document_text(const document& d, std::ostream& out) {
  out << "# " << d.title << "\n\nid: " << d.id << "\nkind: " << to_text(d.kind) << ", level " << d.level
      << "\ntargets: " << listed(d.targets, "") << "\nfamilies: " << listed(d.families, "all")
      << "\ndtypes: " << listed(d.dtypes, "all") << "\nlanguages: " << listed(d.languages, "all")
      << "\nbottlenecks: " << listed(d.signals.bottleneck, "none")
      << "\ncauses: " << listed(d.signals.cause, "none")
      << "\nfailures: " << listed(d.signals.failure, "none")
      << "\nmessages: " << listed(d.signals.message, "none") << "\nsources: " << listed(d.sources, "")
      << "\n\n"
      << d.body << '\n';
}

} // namespace ke::cli
