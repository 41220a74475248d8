#pragma once

#include "runtime/playbook/write/emission.hpp"

#include <functional>
#include <stdexcept>
#include <string_view>

namespace ke::playbook {

/// Thrown within the emitter if a loop can't be written in this way; the caller falls back to a plainer one.
struct not_possible : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The copies of the body being written: R iterations of `row` side by side, and in a vectorised loop U
/// vectors of W lanes.
struct frame {
  std::string row;
  int rows = 1;
  std::set<std::string> row_scalars; ///< scalars that differ from row to row
  std::string lane_loop;             ///< empty: scalar code
  int unroll = 1, lanes = 1;
  std::set<std::string> lane_scalars; ///< scalars that hold vectors here
  std::set<std::string> scans;        ///< of these, the running ones
  std::set<std::string> safe_loads;   ///< elements read by every iteration anyway
  std::vector<loop_range> outer;      ///< every loop around, outermost first
};

/// Writes one kernel. One object per emission.
class emitter {
public:
  emitter(const understood_kernel& u, const emission_options& options,
          const std::vector<std::map<std::string, std::int64_t>>& samples)
      : u_(u), options_(options), samples_(samples) {}

  void block(const std::vector<stmt>& body, const frame& f, bool may_parallel);
  emission finish();

private:
  struct lane_value {
    std::string text;
    value_type type = value_type::unknown;
    bool mask = false;
  };
  struct interior {
    std::vector<expr_ptr> low, high; ///< the split-off range is [max(low), min(high))
    std::vector<stmt> body;          ///< with the boundary conditions decided
  };

  // emit_lanes.cpp: expressions
  bool varies(const expr_ptr& e, const frame& f) const;
  std::string cell(const std::string& name, const frame& f, int row, int vector) const;
  std::string scalar(const expr_ptr& e, const frame& f, int row, int vector = -1) const;
  lane_value lane_index(const expr_ptr& e, const frame& f, int row, int vector);
  lane_value lane_logic(const expr_ptr& e, const frame& f, int row, int vector);
  lane_value lane_binary(const expr_ptr& e, const frame& f, int row, int vector);
  lane_value lane_choice(const expr_ptr& e, const frame& f, int row, int vector);
  lane_value lane(const expr_ptr& e, const frame& f, int row, int vector);
  lane_value lane_call(const expr_ptr& e, const frame& f, int row, int vector);
  std::string lane_as(const lane_value& x, value_type to, const frame& f) const;
  std::string mask_as(const lane_value& x, value_type like, const frame& f) const;
  std::string vector_type(value_type t, const frame& f) const;
  void check_loads(const expr_ptr& e, const frame& f) const;

  // emit_body.cpp: statements
  void statement(const stmt& s, const frame& f, bool may_parallel);
  void scalar_assignment(const stmt& s, const frame& f);
  void running_sum(const stmt& s, const frame& f, const std::string& to, int a, int b);
  void assignment(const stmt& s, const frame& f);
  void masked(const stmt& s, const frame& f);
  void declaration(const stmt& s, const frame& f);
  void local_array(const stmt& s, const frame& f);
  void branch(const stmt& s, const frame& f, bool may_parallel);
  void plain_loop(const stmt& s, const frame& f, bool may_parallel);
  void line(const std::string& text);
  void open(const std::string& text);
  void close();

  // emit_vector_loop.cpp
  void vector_loop(const stmt& loop, const std::string& from, const std::string& to, const frame& f);
  void hinted_loop(const stmt& loop, const std::vector<carried_scalar>& carried, const std::string& from,
                   const std::string& to, const frame& f);
  frame vector_frame(const stmt& loop, const std::vector<carried_scalar>& carried, const interior& parts,
                     const frame& f) const;
  std::set<std::string> safe_loads_in(const std::vector<stmt>& list, bool guarded,
                                      const std::vector<loop_range>& around) const;
  void scalar_turns(const stmt& loop, const std::string& end, const frame& f);
  std::string turns_at_the_edge(const stmt& loop, const interior& parts, const std::string& id,
                                const frame& f);
  void open_accumulators(const std::vector<carried_scalar>& carried, const frame& f, const frame& g);
  void fold_accumulators(const std::vector<carried_scalar>& carried, const frame& f, const frame& g);
  void lane_copies(const stmt& loop, const std::vector<stmt>& body, const frame& f);
  void prefetch(const std::string& walks, std::int64_t step, const std::vector<stmt>& body, const frame& f);
  expr_ptr decide(const expr_ptr& x, const stmt& loop, const std::set<std::string>& assigned,
                  const std::vector<loop_range>& inner, const frame& f, interior& out) const;
  interior split(const stmt& loop, const frame& f) const;
  int lanes_for(const stmt& loop, const frame& f) const;
  std::set<std::string> varying_scalars(const std::vector<stmt>& body, const std::string& by,
                                        std::set<std::string> start) const;
  double quality(const std::string& variable, const std::vector<stmt>& body) const;

  // emit_nest.cpp
  bool nest(const stmt& loop, const frame& f);
  int lanes_of(const std::vector<const stmt*>& chain) const;
  int rows_of(const std::vector<const stmt*>& chain, int lane_at) const;
  void nest_body(const stmt* lane_loop, const std::vector<stmt>& body, std::int64_t tile,
                 const std::string& id, const frame& f);
  void in_rows(const stmt& loop, int rows, const std::string& id, const frame& f,
               const std::vector<stmt>& body, const std::function<void(const frame&)>& write_body);
  void open_loops(const std::vector<std::string>& headers, const stmt& outermost);
  void nest_as(const std::vector<const stmt*>& chain, int lane_at, int row_at, int rows, const frame& f);
  bool chunked_reduction(const stmt& loop, const frame& f);
  void piece_of_reduction(const stmt& loop, const std::vector<carried_scalar>& carried, const std::string& id,
                          const frame& f);
  void walk_piece(const stmt& loop, const std::string& id, const frame& f);
  void join_pieces(const std::vector<carried_scalar>& carried, const std::string& id);
  std::string work_of(const stmt& loop) const;
  std::optional<std::int64_t> sample(const poly& p) const;

  const understood_kernel& u_;
  emission_options options_;
  const std::vector<std::map<std::string, std::int64_t>>& samples_;
  std::string out_;
  int indent_ = 1;
  int fresh_ = 0;
  bool vectorized_ = false, jammed_ = false, reduced_ = false;
};

/// Embedded by the build. includes.h: how every candidate begins; lanes.h: the vector helpers that follow where a
/// candidate has vectors.
extern const std::string_view candidate_includes, lane_prelude;

} // namespace ke::playbook
