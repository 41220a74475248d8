#include "runtime/playbook/read/formula.hpp"

#include "runtime/playbook/read/lexer.hpp"

#include <algorithm>
#include <stdexcept>

namespace ke::playbook {
namespace {

const std::map<std::string, const char*>& element_types() {
  static const std::map<std::string, const char*> types = {
      {"f32", "float"},   {"f64", "double"},  {"f16", "_Float16"},   {"bf16", "uint16_t"},
      {"i32", "int32_t"}, {"i64", "int64_t"}, {"f8e4m3", "uint8_t"}, {"f8e5m2", "uint8_t"}};
  return types;
}

/// Whether C++ has no type for it: ke.h has helpers.
bool is_carried(const std::string& dtype) {
  return dtype == "bf16" || dtype == "f8e4m3" || dtype == "f8e5m2";
}

/// Writes one formula as loops. Throws std::runtime_error where it is not one.
class formula_writer {
public:
  explicit formula_writer(const task& t) : t_(t), tokens_(tokenize(t.formula).tokens) {}

  std::string run() {
    std::size_t equals = tokens_.size();
    for (std::size_t k = 0; k < tokens_.size(); ++k)
      if (tokens_[k].text == "=")
        equals = std::min(equals, k);
    const auto* out = &written(equals == tokens_.size() ? std::string{} : tokens_[0].text);
    if (equals != tokens_.size() && equals > 1) {
      at_ = 2;
      for (const auto& index : indices())
        result_.push_back(index);
    } else {
      for (std::size_t k = 0; k < out->shape.size(); ++k)
        result_.push_back("at_" + std::to_string(k));
    }
    if (result_.size() != out->shape.size() || result_.empty())
      fail();
    for (std::size_t k = 0; k < result_.size(); ++k)
      extent_[result_[k]] = out->shape[k];
    shape_ = out->shape;
    at_ = equals == tokens_.size() ? 0 : equals + 1;
    sum_type_ = out->dtype == "f64" ? "double" : out->dtype[0] == 'i' ? "int64_t" : "float";
    auto value = expression(tokens_.size(), std::string(result_.size() * 2 + 2, ' '));
    auto type = element_types().find(out->dtype);
    if (type == element_types().end())
      fail();
    value = is_carried(out->dtype) ? "ke_float_to_" + out->dtype + "(" + value + ")"
                                   : std::string{"static_cast<"} + type->second + ">(" + value + ")";
    return source_of(*out, value);
  }

private:
  [[noreturn]] static void fail() { throw std::runtime_error{"not a formula"}; }

  /// The one tensor that is not only read, of this name if one is given.
  const task_tensor& written(const std::string& name) const {
    const task_tensor* out = nullptr;
    for (const auto& x : t_.tensors)
      if (x.role != "in" && (name.empty() || x.name == name)) {
        if (out)
          fail();
        out = &x;
      }
    if (!out)
      fail();
    return *out;
  }

  std::string source_of(const task_tensor& out, const std::string& value) {
    std::string source = "extern \"C\" void kernel(";
    for (const auto& x : t_.tensors) {
      auto known = element_types().find(x.dtype);
      if (known == element_types().end())
        fail();
      source += std::string{x.role == "in" ? "const " : ""} + known->second + "* " + x.name + ", ";
    }
    for (const auto& x : t_.scalars)
      source += std::string{x.integer ? "int64_t " : "double "} + x.name + ", ";
    for (const auto& x : t_.dims)
      source += "int64_t " + x + ", ";
    source.resize(source.size() - 2);
    source += ") {\n";
    std::string indent = "  ";
    for (const auto& i : result_) {
      source += indent + loop(i) + " {\n";
      indent += "  ";
    }
    source += body_ + indent + out.name + "[" + flat(out, result_) + "] = " + value + ";\n";
    for (std::size_t k = 0; k < result_.size() + 1; ++k)
      source += "}";
    return source + "\n";
  }

  const task_tensor* tensor(const std::string& name) const {
    for (const auto& x : t_.tensors)
      if (x.name == name)
        return &x;
    return nullptr;
  }
  std::string loop(const std::string& index) const {
    auto it = extent_.find(index);
    if (it == extent_.end())
      fail();
    return "for (int64_t " + index + " = 0; " + index + " < " + it->second + "; ++" + index + ")";
  }
  std::string flat(const task_tensor& x, const std::vector<std::string>& at) const {
    if (at.size() != x.shape.size() || at.empty())
      fail();
    auto out = "(" + at[0] + ")";
    for (std::size_t k = 1; k < at.size(); ++k)
      out = "(" + out + " * (" + x.shape[k] + ") + " + at[k] + ")";
    return out;
  }
  /// From behind `[` to behind `]`.
  std::vector<std::string> indices() {
    std::vector<std::string> out{""};
    for (; tokens_.at(at_).text != "]"; ++at_) {
      if (tokens_[at_].kind == token_kind::end)
        fail();
      if (tokens_[at_].text == ",")
        out.emplace_back();
      else
        out.back() += (out.back().empty() ? "" : " ") + tokens_[at_].text;
    }
    ++at_;
    return out;
  }
  std::string element_of(const task_tensor& x) {
    std::vector<std::string> at;
    if (tokens_.at(at_).text == "[") {
      ++at_;
      at = indices();
    } else {
      for (const auto& extent : x.shape) {
        auto own = std::find(shape_.begin(), shape_.end(), extent);
        if (own == shape_.end() || std::count(shape_.begin(), shape_.end(), extent) != 1)
          fail();
        at.push_back(result_[static_cast<std::size_t>(own - shape_.begin())]);
      }
      if (x.shape == shape_)
        at = result_;
    }
    auto out = x.name + "[" + flat(x, at) + "]";
    return is_carried(x.dtype) ? "ke_" + x.dtype + "_to_float(" + out + ")"
           : x.dtype == "f16"  ? "static_cast<float>(" + out + ")"
                               : out;
  }
  /// The extent of a reduced index: the dimension of the first tensor that it selects in.
  void find_extent(const std::string& index) {
    auto back = at_;
    for (at_ = 0; at_ + 1 < tokens_.size(); ++at_) {
      const auto* x = tensor(tokens_[at_].text);
      if (!x || tokens_[at_ + 1].text != "[")
        continue;
      at_ += 2;
      auto at = indices();
      --at_;
      for (std::size_t k = 0; k < at.size() && k < x->shape.size(); ++k)
        if (at[k] == index)
          extent_.emplace(index, x->shape[k]);
    }
    at_ = back;
  }
  std::string reduction(bool sum, const std::string& indent) {
    auto index = tokens_.at(at_).text;
    at_ += 2;
    if (extent_.count(index))
      fail();
    find_extent(index);
    auto name = "part_" + std::to_string(++parts_);
    body_ += indent + sum_type_ + " " + name + " = " +
             (sum ? std::string{"0"} : "-std::numeric_limits<" + sum_type_ + ">::infinity()") + ";\n";
    body_ += indent + loop(index) + " {\n";
    auto value = expression(tokens_.size(), indent + "  ");
    if (tokens_.at(at_).text != ")")
      fail();
    ++at_;
    body_ +=
        indent + "  " +
        (sum ? name + " += " + value : name + " = std::max(" + name + ", " + sum_type_ + "(" + value + "))") +
        ";\n";
    body_ += indent + "}\n";
    extent_.erase(index);
    return name;
  }
  /// Up to the closing parenthesis of the surrounding reduction, or the end.
  std::string expression(std::size_t end, const std::string& indent) {
    std::string out;
    int open = 0;
    while (at_ < end && tokens_[at_].kind != token_kind::end) {
      auto text = tokens_[at_].text;
      if (text == ")" && open == 0)
        break;
      open += text == "(" ? 1 : text == ")" ? -1 : 0;
      ++at_;
      bool reduces = (text == "sum" || text == "max") && at_ + 2 < end && tokens_[at_].text == "(" &&
                     tokens_[at_ + 2].text == ":";
      if (reduces) {
        ++at_;
        out += reduction(text == "sum", indent);
      } else if (const auto* x = tensor(text)) {
        out += element_of(*x);
      } else {
        out += text;
      }
      out += " ";
    }
    if (out.empty() || open != 0)
      fail();
    return "(" + out + ")";
  }

  const task& t_;
  std::vector<token> tokens_;
  std::size_t at_ = 0;
  std::vector<std::string> result_, shape_;
  std::map<std::string, std::string> extent_;
  std::string body_, sum_type_;
  int parts_ = 0;
};

} // namespace

std::string reference_of_formula(const task& t) {
  if (t.formula.empty() || t.formula.size() > 4000)
    return {};
  try {
    return formula_writer{t}.run();
  } catch (const std::exception&) {
    return {};
  }
}

} // namespace ke::playbook
