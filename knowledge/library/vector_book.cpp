#include "knowledge/library/vector_book.hpp"

#include <algorithm>

namespace ke {

std::vector<std::string> vector_book::note(const std::vector<std::string>& texts) {
  std::vector<std::string> fresh;
  for (const auto& text : texts)
    if (known_.emplace(text, std::nullopt).second)
      fresh.push_back(text);
  looked_for_ += fresh.size();
  return fresh;
}

void vector_book::found(const std::string& text, embedding vector) {
  --looked_for_;
  known_[text] = std::move(vector);
}

void vector_book::lacking(const std::string& text) {
  --looked_for_;
  documents_.push_back(text);
}

const embedding* vector_book::of_document(const std::string& text) const {
  auto at = known_.find(text);
  return at == known_.end() || !at->second ? nullptr : &*at->second;
}

const embedding* vector_book::of_query(const std::string& text) {
  if (auto at = answers_.find(text); at != answers_.end())
    return &at->second;
  const auto& asked = out(kind::queries);
  if (std::find(asked.begin(), asked.end(), text) == asked.end() &&
      std::find(queries_.begin(), queries_.end(), text) == queries_.end())
    queries_.push_back(text);
  return nullptr;
}

std::vector<std::string> vector_book::next(kind which) {
  if (!out(which).empty())
    return {};
  auto& from = which == kind::queries ? queries_ : documents_;
  auto size = std::min(from.size(), which == kind::queries ? batch : documents_at_once_);
  auto end = from.begin() + static_cast<std::ptrdiff_t>(size);
  out(which).assign(from.begin(), end);
  from.erase(from.begin(), end);
  return out(which);
}

std::vector<std::string> vector_book::answered(kind which, std::vector<embedding> vectors) {
  auto texts = std::exchange(out(which), {});
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (which == kind::queries)
      keep_query(texts[i], std::move(vectors[i]));
    else
      known_[texts[i]] = std::move(vectors[i]);
  return texts;
}

void vector_book::refused(kind which) {
  auto texts = std::exchange(out(which), {});
  if (which == kind::queries) {
    for (const auto& text : texts)
      keep_query(text, {});
  } else if (texts.size() > 1) {
    documents_at_once_ = texts.size() / 2;
    documents_.insert(documents_.begin(), texts.begin(), texts.end());
  } else {
    for (const auto& text : texts)
      known_[text] = embedding{};
  }
}

void vector_book::failed(kind which) {
  auto texts = std::exchange(out(which), {});
  if (which == kind::queries)
    queries_.clear();
  else // behind the others: it may be a text that the server stumbles over
    documents_.insert(documents_.end(), texts.begin(), texts.end());
}

void vector_book::keep_query(const std::string& text, embedding vector) {
  answers_[text] = std::move(vector);
  oldest_.push_back(text);
  if (oldest_.size() > most_queries) {
    answers_.erase(oldest_.front());
    oldest_.pop_front();
  }
}

} // namespace ke
