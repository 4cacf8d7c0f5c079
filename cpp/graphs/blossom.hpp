// SPDX-License-Identifier: BSD-3-Clause
// Matchings of largest weight in any graph: Edmonds (1965) with duals, as surveyed by Galil (1986), one
// alternating tree at a time.
//
// Weights become whole numbers, so that duals are exact. Nodes have duals u and blossoms duals z, such that
// u[a] + u[b] + (z of the blossoms around both) >= w for all edges, with equality for matched ones. A search
// grows a tree of tight edges from a node without a partner; it ends when it finds another such node, or a
// node whose dual is 0 and that may stay alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/poll.hpp"

namespace hedgehop::graphs {

// Whole numbers of a hundred bits keep every digit of weights of very different sizes.
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 WholeWeight;
inline constexpr int weight_bits = 100;
#else
using WholeWeight = std::int64_t;
inline constexpr int weight_bits = 44;
#endif

class Blossoms {
 public:
  // Ends of edges must be in range and different; parallel edges are allowed, a weight of -inf forbids one.
  Blossoms(std::size_t n_nodes, Edges edges, std::span<const double> weights, bool perfect)
      : n_(n_nodes), perfect_(perfect), ends_(edges.data.begin(), edges.data.end()), at_(n_nodes, edges) {
    double largest = 0.0;
    for (const double w : weights) largest = std::isfinite(w) ? std::max(largest, std::abs(w)) : largest;
    int exponent = 0;
    std::frexp(largest, &exponent);
    weight_.reserve(weights.size());
    for (const double w : weights) {
      open_.push_back(std::isfinite(w) && (perfect || w > 0.0) ? 1 : 0);
      weight_.push_back(open_.back() != 0 ? 2 * whole(w, weight_bits - exponent) : 0);
    }
    const std::size_t most = 2 * n_ + 1;
    for (auto* list : {&parent_, &base_, &label_dart_}) list->assign(most, none);
    label_.assign(most, Sign::outside);
    seen_.assign(most, 0);
    children_.resize(most);
    darts_.resize(most);
    z_.assign(most, 0);
    u_.assign(n_, 0);
    mate_.assign(n_, none);
    top_.resize(n_);
    for (std::size_t v = 0; v < n_; ++v) top_[v] = base_[v] = static_cast<std::int32_t>(v);
    for (std::size_t b = most; b-- > n_;) unused_.push_back(static_cast<std::int32_t>(b));
  }

  // Mark the edges of a best matching; false if no perfect one is allowed.
  bool solve(std::span<std::uint8_t> chosen, Poll& poll) {
    start();
    for (std::size_t v = 0; v < n_; ++v) {
      if (mate_[v] == none && (perfect_ || u_[v] > 0) && !search(static_cast<std::int32_t>(v), poll))
        return false;
    }
    std::ranges::fill(chosen, std::uint8_t{0});
    for (const std::int32_t d : mate_) {
      if (d != none) chosen[edge(d)] = 1;
    }
    return true;
  }

 private:
  // A dart is an edge with a direction, 2 e or 2 e + 1. Nodes and blossoms share numbers, nodes first.
  enum class Sign : std::uint8_t { outside, even, odd };
  enum class Kind : std::uint8_t { nothing, alone, grow, close, expand };
  struct Event {
    Kind kind = Kind::nothing;
    WholeWeight delta = 0;
    std::int32_t where = none;  // a node, a dart or a blossom
  };
  static constexpr std::int32_t none = -1;

  static WholeWeight whole(double w, int shift) {
    int exponent = 0;
    const double mantissa = std::frexp(w, &exponent);
    const int left = exponent - 53 + shift;
    if (left < 0) return static_cast<WholeWeight>(std::llrint(std::ldexp(w, shift)));
    return static_cast<WholeWeight>(std::llrint(std::ldexp(mantissa, 53))) * (WholeWeight{1} << left);
  }

  static std::size_t edge(std::int32_t dart) { return index(dart) / 2; }
  static std::int32_t back(std::int32_t dart) { return dart ^ 1; }
  std::int32_t tail(std::int32_t dart) const { return ends_[index(dart)]; }
  std::int32_t head(std::int32_t dart) const { return ends_[index(back(dart))]; }
  bool is_blossom(std::int32_t b) const { return index(b) >= n_; }
  std::int32_t& top(std::int32_t v) { return top_[index(v)]; }
  Sign sign(std::int32_t v) const { return label_[index(top_[index(v)])]; }
  WholeWeight slack(std::size_t e) const {  // between different blossoms
    return u_[index(ends_[2 * e])] + u_[index(ends_[2 * e + 1])] - weight_[e];
  }

  template <class F>
  void for_each_dart(std::size_t v, F f) const {  // of open edges, away from v
    for (const Neighbour next : at_.at(v)) {
      if (open_[next.edge()] == 0) continue;
      const auto dart = static_cast<std::int32_t>(2 * next.edge());
      f(tail(dart) == static_cast<std::int32_t>(v) ? dart : back(dart));
    }
  }

  template <class F>
  void for_each_node(std::int32_t b, F f) const {
    if (!is_blossom(b)) return f(b);
    for (const std::int32_t child : children_[index(b)]) for_each_node(child, f);
  }

  // Each node pays half of its best edge; edges that this pays for are matched if both nodes are free.
  void start() {
    for (std::size_t v = 0; v < n_; ++v) {
      bool any = false;
      for_each_dart(v, [&](std::int32_t d) {
        const WholeWeight half = weight_[edge(d)] / 2;
        u_[v] = any ? std::max(u_[v], half) : half;
        any = true;
      });
    }
    for (std::size_t v = 0; v < n_; ++v) {
      for_each_dart(v, [&](std::int32_t d) {
        if (mate_[v] != none || mate_[index(head(d))] != none || slack(edge(d)) != 0) return;
        mate_[v] = d;
        mate_[index(head(d))] = back(d);
      });
    }
  }

  // Find the root a partner, or another node that stays alone in its place.
  bool search(std::int32_t root, Poll& poll) {
    std::ranges::fill(label_, Sign::outside);
    even_.clear();
    make_even(top(root), none);
    while (true) {
      const Event event = next_event(poll);
      if (event.kind == Kind::nothing) return false;
      change_duals(event.delta);
      switch (event.kind) {
        case Kind::alone:
          flip(event.where, none);
          return true;
        case Kind::grow: {
          const std::int32_t far = top(head(event.where));
          const std::int32_t mate = mate_[index(base_[index(far)])];
          if (mate == none) {
            flip(tail(event.where), event.where);
            if (is_blossom(far)) turn(far, head(event.where));
            mate_[index(head(event.where))] = back(event.where);
            return true;
          }
          label_[index(far)] = Sign::odd;
          label_dart_[index(far)] = event.where;
          make_even(top(head(mate)), mate);
          break;
        }
        case Kind::close:
          shrink(event.where);
          break;
        default:
          expand(event.where);
      }
    }
  }

  void make_even(std::int32_t b, std::int32_t dart) {
    label_[index(b)] = Sign::even;
    label_dart_[index(b)] = dart;
    for_each_node(b, [&](std::int32_t v) { even_.push_back(v); });
  }

  // What happens first as even nodes pay less and odd ones more.
  Event next_event(Poll& poll) const {
    Event first;
    const auto take = [&](Kind kind, WholeWeight delta, std::int32_t where) {
      if (first.kind == Kind::nothing || delta < first.delta) first = {kind, delta, where};
    };
    for (const std::int32_t v : even_) {
      if (!perfect_) take(Kind::alone, u_[index(v)], v);
      for_each_dart(index(v), [&](std::int32_t d) {
        const std::int32_t w = head(d);
        const Sign other = sign(w);
        if (other == Sign::odd || top_[index(w)] == top_[index(v)]) return;
        if (other == Sign::outside)
          take(Kind::grow, slack(edge(d)), d);
        else
          take(Kind::close, slack(edge(d)) / 2, d);
      });
      poll.tick(static_cast<std::uint32_t>(1 + at_.at(index(v)).size()));
    }
    for (std::size_t b = n_; b < label_.size(); ++b) {
      if (label_[b] == Sign::odd && parent_[b] == none)
        take(Kind::expand, z_[b] / 2, static_cast<std::int32_t>(b));
    }
    return first;
  }

  void change_duals(WholeWeight delta) {
    if (delta == 0) return;
    for (std::size_t v = 0; v < n_; ++v) {
      const Sign own = label_[index(top_[v])];
      if (own == Sign::even) u_[v] -= delta;
      if (own == Sign::odd) u_[v] += delta;
    }
    for (std::size_t b = n_; b < label_.size(); ++b) {
      if (parent_[b] != none) continue;
      if (label_[b] == Sign::even) z_[b] += 2 * delta;
      if (label_[b] == Sign::odd) z_[b] -= 2 * delta;
    }
  }

  // Match v along a dart (or leave it alone), and everything from there back to the root the other way.
  void flip(std::int32_t v, std::int32_t dart) {
    while (true) {
      const std::int32_t even = top(v);
      const std::int32_t from = label_dart_[index(even)];
      if (is_blossom(even)) turn(even, v);
      mate_[index(v)] = dart;
      if (from == none) return;
      const std::int32_t odd = top(tail(from));
      const std::int32_t into = label_dart_[index(odd)];
      if (is_blossom(odd)) turn(odd, head(into));
      mate_[index(head(into))] = back(into);
      v = tail(into);
      dart = into;
    }
  }

  // The part of a blossom in which a node is.
  std::size_t part_of(std::int32_t b, std::int32_t v) const {
    while (parent_[index(v)] != b) v = parent_[index(v)];
    const auto& parts = children_[index(b)];
    return static_cast<std::size_t>(std::ranges::find(parts, v) - parts.begin());
  }

  // Match the parts of a blossom so that v is the one that is left for others.
  void turn(std::int32_t b, std::int32_t v) {
    auto& parts = children_[index(b)];
    auto& darts = darts_[index(b)];
    const std::size_t i = part_of(b, v), size = parts.size();
    if (is_blossom(parts[i])) turn(parts[i], v);
    const bool forward = i % 2 == 1;
    for (std::size_t j = i; j % size != 0;) {
      const std::size_t near = forward ? j + 1 : j - 1, far = forward ? j + 2 : j - 2;
      const std::int32_t d = forward ? darts[near % size] : back(darts[far]);  // from near to far
      if (is_blossom(parts[near % size])) turn(parts[near % size], tail(d));
      if (is_blossom(parts[far % size])) turn(parts[far % size], head(d));
      mate_[index(tail(d))] = d;
      mate_[index(head(d))] = back(d);
      j = far;
    }
    std::rotate(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i), parts.end());
    std::rotate(darts.begin(), darts.begin() + static_cast<std::ptrdiff_t>(i), darts.end());
    base_[index(b)] = v;
  }

  // The first blossom on the ways of both ends of a dart to the root.
  std::int32_t meeting(std::int32_t dart) {
    ++stamp_;
    std::int32_t ways[] = {top(tail(dart)), top(head(dart))};
    for (std::size_t k = 0;; k = 1 - k) {
      std::int32_t& b = ways[k];
      if (b == none) continue;
      if (seen_[index(b)] == stamp_) return b;
      seen_[index(b)] = stamp_;
      const std::int32_t from = label_dart_[index(b)];
      b = from == none ? none : top(tail(label_dart_[index(top(tail(from)))]));
    }
  }

  // Make one even blossom of the cycle that a dart between even ones closes.
  void shrink(std::int32_t dart) {
    const std::int32_t first = meeting(dart);
    const std::int32_t b = unused_.back();
    unused_.pop_back();
    auto& parts = children_[index(b)];
    auto& darts = darts_[index(b)];
    parts.clear();
    darts.assign(1, dart);
    for (std::int32_t at = top(tail(dart)); at != first; at = top(tail(label_dart_[index(at)]))) {
      parts.push_back(at);
      darts.push_back(label_dart_[index(at)]);
    }
    parts.push_back(first);
    std::ranges::reverse(parts);
    std::ranges::reverse(darts);
    for (std::int32_t at = top(head(dart)); at != first; at = top(tail(label_dart_[index(at)]))) {
      parts.push_back(at);
      darts.push_back(back(label_dart_[index(at)]));
    }
    base_[index(b)] = base_[index(first)];
    parent_[index(b)] = none;
    z_[index(b)] = 0;
    for (const std::int32_t part : parts) {
      parent_[index(part)] = b;
      const bool was_odd = label_[index(part)] == Sign::odd;
      for_each_node(part, [&](std::int32_t v) {
        if (was_odd) even_.push_back(v);
        top(v) = b;
      });
    }
    label_[index(b)] = Sign::even;
    label_dart_[index(b)] = label_dart_[index(first)];
  }

  // Dissolve an odd blossom whose dual is 0: the way through it stays in the tree, the rest leaves it.
  void expand(std::int32_t b) {
    const std::vector<std::int32_t> parts = std::move(children_[index(b)]),
                                    darts = std::move(darts_[index(b)]);
    std::int32_t into = label_dart_[index(b)];
    for (const std::int32_t part : parts) {
      parent_[index(part)] = none;
      label_[index(part)] = Sign::outside;
      for_each_node(part, [&](std::int32_t v) { top(v) = part; });
    }
    const std::size_t size = parts.size();
    std::size_t j = static_cast<std::size_t>(std::ranges::find(parts, top(head(into))) - parts.begin());
    const bool forward = j % 2 == 1;
    const auto dart = [&](std::size_t from) {  // from a part to the next one
      return forward ? darts[from % size] : back(darts[from - 1]);
    };
    while (j % size != 0) {
      const std::size_t near = forward ? j + 1 : j - 1;
      label_[index(parts[j])] = Sign::odd;
      label_dart_[index(parts[j])] = into;
      make_even(parts[near % size], dart(j));
      into = dart(near);
      j = forward ? j + 2 : j - 2;
    }
    label_[index(parts[0])] = Sign::odd;
    label_dart_[index(parts[0])] = into;
    children_[index(b)].clear();
    darts_[index(b)].clear();
    label_[index(b)] = Sign::outside;
    unused_.push_back(b);
  }

  std::size_t n_;
  bool perfect_;
  std::vector<std::int32_t> ends_;
  Incidence at_;
  std::vector<WholeWeight> weight_, u_, z_;
  std::vector<std::uint8_t> open_;
  std::vector<std::int32_t> parent_, base_, label_dart_;  // of nodes and blossoms
  std::vector<Sign> label_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t stamp_ = 0;
  std::vector<std::vector<std::int32_t>> children_, darts_;  // around each blossom, its base first
  std::vector<std::int32_t> mate_, top_;  // of nodes: the dart to the partner, the outermost
  std::vector<std::int32_t> unused_, even_;
};

}  // namespace hedgehop::graphs
