#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// The reference's largest errors by shape, of one tensor and one distribution. A few elements may all be exact by chance
/// (a function's saturated ends are, and sums that hardly cancel), and then say nothing of an honest kernel's error: what
/// shapes of more elements have shown counts, too. Pure.
class known_errors {
public:
  using dims = std::map<std::string, std::int64_t>;

  /// `error` beyond the rounding of the result, `reduction`: terms of its sums, as truth_source::reductions; `largest`: how
  /// large outputs are. Of the same dims the larger error and outputs count, and the last reduction.
  void note(const dims& of, std::size_t elements, double error, double reduction, double largest);
  /// What an honest kernel of this reduction may err by where it has no more than `elements`: the largest of
  /// the shapes of more elements whose sums are the most alike in length (within a factor of 2), grown with the ratio of
  /// both. Single terms say nothing of sums. No more than outputs of this size can have of such an error, where there are enough
  /// to tell: a softmax of longer rows has smaller outputs. 0: there is none.
  double of(std::size_t elements, double reduction, double largest) const;

private:
  struct one {
    std::size_t elements = 0;
    double error = 0, reduction = 1, largest = 0;
  };
  std::map<dims, one> all_;
};

} // namespace ke
