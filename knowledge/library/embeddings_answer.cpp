#include "knowledge/library/embeddings.hpp"
#include "runtime/text/json_limits.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

// The answer is read as it comes, number by number: a document of it would take ten times its 16 MiB.

namespace ke {
namespace {

using json = nlohmann::json;

constexpr std::size_t most_numbers = 1u << 15; ///< of one vector; models give 384 to 16,384
constexpr json_limits bounds{64, std::numeric_limits<std::size_t>::max(), 1u << 16};

failure malformed(std::string why) {
  return {failure_kind::malformed, "the answer of the embeddings server can't be used: " + std::move(why)};
}

bool scale(embedding& v) {
  double sum = 0;
  for (float x : v)
    sum += static_cast<double>(x) * x;
  if (!(sum > 0) || !std::isfinite(sum))
    return false;
  auto by = 1 / std::sqrt(sum);
  for (auto& x : v)
    x = static_cast<float>(x * by);
  return true;
}

/// {"data": [{"index": 0, "embedding": [0.1, ...]}, ...]}, other members skipped. Keeps the first error and
/// reads on, so that a text that is no JSON at all is reported as such.
class answer_reader : public nlohmann::json_sax<json> {
public:
  explicit answer_reader(std::size_t texts) : all_(texts) {}

  bool start_object(std::size_t) override {
    open(json::value_t::object);
    if (depth_ == 3 && within_data_)
      begin_entry();
    return true;
  }
  bool end_object() override {
    if (depth_ == 3 && within_data_)
      end_entry();
    --depth_;
    return !had_enough();
  }
  bool start_array(std::size_t) override {
    open(json::value_t::array);
    if (depth_ == 2 && key_ == member::data)
      found_data_ = within_data_ = true;
    if (depth_ == 4 && within_data_ && in_entry_ && key_ == member::embedding) {
      if (within_vector_ || has_vector_)
        wrong("an entry of `data` has two lists `embedding`");
      within_vector_ = has_vector_ = true;
    }
    return true;
  }
  bool end_array() override {
    if (depth_ == 2)
      within_data_ = false;
    if (depth_ == 4)
      within_vector_ = false;
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1)
      key_ = name == "data" ? member::data : member::other;
    if (depth_ == 3)
      key_ = name == "embedding" ? member::embedding : name == "index" ? member::index : member::other;
    return true;
  }
  bool null() override { return value(json::value_t::null); }
  bool boolean(bool) override { return value(json::value_t::boolean); }
  bool string(string_t&) override { return value(json::value_t::string); }
  bool binary(binary_t&) override { return value(json::value_t::binary); }
  bool number_integer(number_integer_t n) override { return number(static_cast<double>(n), none); }
  bool number_unsigned(number_unsigned_t n) override { return number(static_cast<double>(n), n); }
  bool number_float(number_float_t x, const string_t&) override { return number(x, none); }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

  /// Far more entries than texts: what else they hold does not matter.
  bool had_enough() const { return entries_ > all_.size() + most_surplus; }

  result<std::vector<embedding>> taken() {
    if (!wrong_.empty())
      return malformed(std::move(wrong_));
    if (!found_data_)
      return malformed("it has no list `data`");
    if (entries_ != all_.size())
      return malformed(std::to_string(entries_) + " vectors for " + std::to_string(all_.size()) + " texts");
    if (std::any_of(all_.begin(), all_.end(), [&](auto& v) { return v.size() != all_[0].size(); }))
      return malformed("vectors of different sizes");
    return std::move(all_);
  }

private:
  enum class member : std::uint8_t { other, data, embedding, index };
  static constexpr std::size_t most_surplus = 1u << 12;
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  void wrong(std::string what) {
    if (wrong_.empty())
      wrong_ = std::move(what);
  }
  /// What an object, an array or any other value means where it stands.
  void open(json::value_t type) {
    value(type);
    ++depth_;
  }
  bool value(json::value_t type) {
    if (depth_ == 0 && type != json::value_t::object)
      wrong("it is not a JSON object but " + std::string{json(type).type_name()});
    if (depth_ == 2 && within_data_ && type != json::value_t::object) {
      wrong("an entry of `data` has no list `embedding`");
      ++entries_;
    }
    if (depth_ == 3 && in_entry_ && key_ == member::index)
      index_ = all_.size();
    if (within_vector_ && depth_ >= 4)
      wrong("a vector holds something that is no number");
    return true;
  }
  bool number(double x, std::uint64_t whole) {
    if (depth_ == 3 && in_entry_ && key_ == member::index) {
      index_ = whole < all_.size() ? static_cast<std::size_t>(whole) : all_.size();
      return true;
    }
    if (!within_vector_ || depth_ != 4)
      return value(json::value_t::number_float);
    if (vector_.size() == most_numbers)
      wrong("a vector holds more than " + std::to_string(most_numbers) + " numbers");
    else
      vector_.push_back(static_cast<float>(x));
    return true;
  }
  void begin_entry() {
    in_entry_ = true;
    has_vector_ = false;
    index_ = entries_;
    vector_.clear();
  }
  void end_entry() {
    in_entry_ = false;
    ++entries_;
    if (!has_vector_)
      wrong("an entry of `data` has no list `embedding`");
    else if (entries_ > all_.size() || !wrong_.empty())
      return; // told at the end
    else if (index_ >= all_.size() || !all_[index_].empty())
      wrong("an entry's `index` is none, or that of another");
    else if (!scale(vector_))
      wrong("a vector has no length");
    else
      all_[index_] = embedding(vector_.begin(), vector_.end());
  }

  std::vector<embedding> all_;
  embedding vector_; ///< of the entry that is open
  std::string wrong_;
  std::size_t depth_ = 0, entries_ = 0, index_ = 0;
  member key_ = member::other; ///< the last one at depth 1 or 3
  bool found_data_ = false, within_data_ = false, in_entry_ = false, within_vector_ = false,
       has_vector_ = false;
};

} // namespace

result<std::vector<embedding>> read_embeddings(std::string_view body, std::size_t texts) {
  switch (json_fault_of(body, bounds)) {
  case json_fault::too_deep:
    return malformed("it nests deeper than " + std::to_string(bounds.depth) + " levels");
  case json_fault::too_long_string:
    return malformed("it holds a text of more than " + std::to_string(bounds.string_bytes) + " bytes");
  case json_fault::no_json:
    return malformed("it is not JSON");
  case json_fault::none:
  case json_fault::too_many_values:
    break;
  }
  answer_reader reader{texts};
  if (!json::sax_parse(body, &reader) && !reader.had_enough())
    return malformed("it is not JSON");
  return reader.taken();
}

} // namespace ke
