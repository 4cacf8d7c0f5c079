// A binary move as a minimum cut: which variables change, at what cost (Kolmogorov, Zabih, PAMI 2004).
//
// x(v) = 1 means that v takes part in the move. Costs are relative to doing nothing, so that the minimum is
// never above zero and a negative one is an improvement. Node numbers are given out by add_node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flow.hpp"
#include "flow_csr.hpp"
#include "matrix.hpp"
#include "poll.hpp"

namespace hedgehop {

using Fixed = std::int64_t;  // a score in fixed point

class MoveGraph {
 public:
  using Node = flow::Index;

  void clear() {
    terminals_.clear();
    edges_.clear();
    forward_.clear();
    backward_.clear();
  }

  // Cost of x = 1 against x = 0.
  Node add_node(Fixed terminal) {
    terminals_.push_back(terminal);
    return static_cast<Node>(terminals_.size() - 1);
  }

  void add_terminal(Node v, Fixed cost) { terminals_[static_cast<std::size_t>(v)] += cost; }

  // Cost `there` for x(u) = 0, x(v) = 1, and `back` for the opposite; neither negative.
  void add_edge(Node u, Node v, Fixed there, Fixed back) {
    edges_.push_back(u);
    edges_.push_back(v);
    forward_.push_back(there);
    backward_.push_back(back);
  }

  // Costs of the four cases of a pair; where they are not submodular the case (0, 1) is made dearer. That is
  // an upper bound, tight where nothing moves: a move chosen by it may be less good, but never makes things
  // worse.
  void add_pair(Node u, Node v, Fixed c00, Fixed c01, Fixed c10, Fixed c11) {
    const Fixed bend = c01 + c10 - c00 - c11;
    add_terminal(u, c10 - c00);
    add_terminal(v, c11 - c10);
    if (bend > 0) add_edge(u, v, bend, 0);
  }

  Fixed terminal(Node v) const { return terminals_[static_cast<std::size_t>(v)]; }
  std::size_t size() const { return terminals_.size(); }

  // Minimises the cost with some nodes held; taken[v] = x(v) afterwards.
  Fixed solve(Poll& poll, std::span<const Node> held0, std::span<const Node> held1,
              std::vector<std::uint8_t>& taken) {
    std::vector<Fixed> terminals = terminals_;
    for (const Node v : held0) terminals[static_cast<std::size_t>(v)] += hold;
    for (const Node v : held1) terminals[static_cast<std::size_t>(v)] -= hold;
    const Edges edges{edges_, forward_.size(), 2};
    flow::Flow<flow::CsrLayout<Fixed>> flow(flow::CsrLayout<Fixed>(
        terminals.size(), edges, [&](std::size_t v) { return terminals[v]; },
        [&](std::size_t e) { return forward_[e]; }, [&](std::size_t e) { return backward_[e]; }));
    const Fixed minimum = flow.solve(poll) + hold * static_cast<Fixed>(held1.size());
    taken.resize(terminals.size());
    for (std::size_t v = 0; v < taken.size(); ++v) taken[v] = flow.is_sink_side(static_cast<Node>(v));
    return minimum;
  }

 private:
  static constexpr Fixed hold =
      Fixed{1} << 52;  // dearer than anything a problem may hold (MoveProblem::largest_total)

  std::vector<Fixed> terminals_, forward_, backward_;
  std::vector<std::int32_t> edges_;
};

}  // namespace hedgehop
