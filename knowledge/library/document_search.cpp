#include "knowledge/library/document_search.hpp"

#include "knowledge/prompt/quote.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace ke {

/// document_search.txt, embedded by the build: what the model is told first.
extern const std::string_view search_instructions;

namespace {

constexpr std::uint32_t highest_level = 3;
constexpr std::size_t most_found = 8, longest_name = 80;

/// Without blanks and the marks that models put around a command.
std::string_view trimmed_command(std::string_view s) {
  constexpr std::string_view blank = " \t\r`*";
  auto from = s.find_first_not_of(blank);
  return from == std::string_view::npos ? std::string_view{}
                                        : s.substr(from, s.find_last_not_of(blank) - from + 1);
}

std::string line_of(const document& d) {
  return d.id + ": " + (d.kind == document_kind::skill ? in_line(d.title) : d.title) + "\n";
}

} // namespace

document_search::document_search(std::shared_ptr<const corpus> library, signal_query query, std::string facts)
    : library_{std::move(library)}, query_{std::move(query)}, facts_{std::move(facts)} {
  query_.level = highest_level;
  query_.with_constraints = false;
  open_ = admitted(*library_, query_);
  std::erase_if(open_, [](const document* d) { return d->kind == document_kind::constraint; });
  list("/");
}

prompt document_search::next() const {
  auto left = most_rounds - rounds_;
  auto last = left == 1 ? std::string{"This is the last answer: CHOOSE now.\n"}
                        : std::to_string(left) + " answers are left to you, the one with CHOOSE included.\n";
  return {{{std::string{search_instructions}, true, "agent"},
           {"\n## Situation\n" + facts_, false, "situation"},
           {"\n## What you have seen\n" + seen_ + "\n" + last, false, "seen"}}};
}

bool document_search::take(std::string_view answer) {
  ++rounds_;
  shown_ = 0;
  std::istringstream lines{std::string{answer}};
  std::size_t done = 0;
  for (std::string raw; done < most_commands && chosen_.empty() && std::getline(lines, raw);) {
    auto line = trimmed_command(raw);
    auto space = std::min(line.find(' '), line.size());
    auto command = line.substr(0, space), rest = trimmed_command(line.substr(space));
    if (rest.empty())
      continue;
    ++done;
    if (command == "LIST")
      list(rest);
    else if (command == "SEARCH")
      search(rest);
    else if (command == "READ")
      read(rest);
    else if (command == "CHOOSE")
      choose(rest);
    else
      --done;
  }
  if (chosen_.empty() && rounds_ == most_rounds) // what it has read at the last is what it thinks of most
    chosen_.assign(read_.rbegin(),
                   read_.rbegin() + static_cast<std::ptrdiff_t>(std::min(most_chosen, read_.size())));
  return !chosen_.empty() || rounds_ == most_rounds;
}

void document_search::list(std::string_view folder) {
  auto inside = std::string{folder.substr(0, longest_name)};
  inside.erase(0, std::min(inside.find_first_not_of('/'), inside.size()));
  if (!inside.empty() && !inside.ends_with('/'))
    inside += '/';
  std::set<std::string> folders;
  std::string documents;
  for (const auto* d : open_) {
    if (!d->id.starts_with(inside))
      continue;
    auto slash = d->id.find('/', inside.size());
    if (slash == std::string::npos)
      documents += line_of(*d);
    else
      folders.insert(d->id.substr(0, slash + 1));
  }
  seen_ += "LIST /" + inside + "\n";
  for (const auto& f : folders)
    seen_ += f + "\n";
  seen_ += documents;
  if (folders.empty() && documents.empty())
    seen_ += "there is no such folder\n";
}

void document_search::search(std::string_view words) {
  constexpr std::size_t longest = 200;
  auto q = query_;
  q.bottleneck.clear();
  q.cause.clear();
  q.failure.clear();
  q.message = std::string{words.substr(0, longest)};
  seen_ += "SEARCH " + in_line(q.message) + "\n";
  for (const auto& found : retrieve(*library_, q, most_found))
    if (find(found.document->id))
      seen_ += line_of(*found.document);
}

void document_search::read(std::string_view id) {
  const auto* d = find(id);
  seen_ += "READ " + (d ? d->id : in_line(id.substr(0, longest_name))) + "\n";
  if (!d) {
    seen_ += "there is no such document for this target\n";
    return;
  }
  if (shown_ + d->body.size() > most_shown_bytes) {
    seen_ += "too much for one answer: read it with the next\n";
    return;
  }
  shown_ += d->body.size();
  seen_ += d->body + "\n";
  std::erase(read_, d->id);
  read_.push_back(d->id);
}

void document_search::choose(std::string_view ids) {
  std::istringstream words{std::string{ids}};
  for (std::string word; chosen_.size() < most_chosen && words >> word;) {
    word.erase(std::remove(word.begin(), word.end(), ','), word.end());
    const auto* d = find(trimmed_command(word));
    if (d && std::find(chosen_.begin(), chosen_.end(), d->id) == chosen_.end())
      chosen_.push_back(d->id);
  }
  if (chosen_.empty())
    seen_ += "CHOOSE named no document for this target\n";
}

const document* document_search::find(std::string_view id) const {
  const auto* d = library_->find(id);
  return d && std::find(open_.begin(), open_.end(), d) != open_.end() ? d : nullptr;
}

} // namespace ke
