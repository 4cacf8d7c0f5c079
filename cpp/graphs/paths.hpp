// SPDX-License-Identifier: BSD-3-Clause
// Shortest simple paths from a source to a target: Dijkstra (1959) and A* (Hart, Nilsson, Raphael 1968),
// dynamic programming on acyclic graphs, and for costs below 0 a label-correcting search with a bound.
//
// A cost of +inf forbids an edge. Ends of edges must be in range; callers check.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/poll.hpp"

namespace hedgehop::graphs {

inline constexpr double unreachable = std::numeric_limits<double>::infinity();

// Distances of all nodes from a root and the last edge of each path, -1 where there is none.
struct PathTree {
  std::vector<double> distance;
  std::vector<std::int32_t> edge;

  explicit PathTree(std::size_t n_nodes) : distance(n_nodes, unreachable), edge(n_nodes, -1) {}
};

struct FoundPath {
  std::vector<std::int32_t> edges;  // in order; none if no path is allowed
  double cost = unreachable;
  double bound = unreachable;  // no simple path costs less
};

class PathGraph {
 public:
  PathGraph(std::size_t n_nodes, Edges edges, bool directed)
      : n_nodes_(n_nodes),
        ends_(edges.data.begin(), edges.data.end()),
        directed_(directed),
        at_(n_nodes, edges) {
    if (directed) sort_topologically();
  }

  std::size_t n_nodes() const { return n_nodes_; }
  std::size_t n_edges() const { return ends_.size() / 2; }
  bool is_acyclic() const { return !order_.empty(); }

  // f(neighbour) for the edges that lead away from a node, or towards it.
  template <class F>
  void for_each(std::size_t node, bool away, F f) const {
    for (const Neighbour next : at_.at(node)) {
      if (!directed_ || next.is_first() != away) f(next);
    }
  }

  // Shortest paths from the root to all nodes, or from all nodes to the root; no cost may be below 0.
  PathTree tree(std::size_t root, bool away, std::span<const double> costs, Poll& poll) const {
    PathTree found(n_nodes_);
    dijkstra(found, root, none, away, costs, {}, {}, poll);
    return found;
  }

  // A shortest simple path. `first` are edges that it must begin with, in order. `ahead` are distances to the
  // target, for costs that are nowhere above the given ones: they lead the search if no cost is below 0.
  FoundPath best(std::size_t source, std::size_t target, std::span<const double> costs,
                 std::span<const std::int32_t> first, std::span<const double> ahead, Poll& poll) const {
    FoundPath found;
    double begun = 0.0;
    std::vector<std::uint8_t> closed(first.empty() ? 0 : n_nodes_);
    std::size_t at = source;
    for (const std::int32_t e : first) {
      closed[at] = 1;
      if (tail(index(e)) != at && (directed_ || head(index(e)) != at)) return found;
      at = other_end(index(e), at);
      begun += costs[index(e)];
      if (closed[at] != 0 || (at == target && e != first.back())) return found;
    }
    PathTree tree(n_nodes_);
    double bound = 0.0;
    if (at == target) {
      tree.distance[at] = 0.0;
    } else if (is_acyclic()) {
      bound = by_order(tree, at, target, costs, poll);
    } else if (lowest(costs) >= 0.0) {
      dijkstra(tree, at, target, true, costs, ahead, closed, poll);
      bound = tree.distance[target];
    } else {
      bound = correct(tree, at, target, costs, closed, poll);
    }
    if (tree.distance[target] == unreachable) return found;
    for (std::size_t v = target; v != at; v = other_end(index(tree.edge[v]), v))
      found.edges.push_back(tree.edge[v]);
    for (auto e = first.rbegin(); e != first.rend(); ++e) found.edges.push_back(*e);
    std::reverse(found.edges.begin(), found.edges.end());
    found.cost = 0.0;
    for (const std::int32_t e : found.edges) found.cost += costs[index(e)];
    found.bound = std::min(found.cost, begun + bound);
    return found;
  }

  // The best path of an acyclic graph that uses all of the marked edges.
  FoundPath best_through(std::size_t source, std::size_t target, std::span<const double> costs,
                         std::span<const std::uint8_t> marked, Poll& poll) const {
    std::vector<std::int32_t> through;
    for (std::size_t e = 0; e < marked.size(); ++e) {
      if (marked[e] != 0) through.push_back(static_cast<std::int32_t>(e));
    }
    std::sort(through.begin(), through.end(), [&](std::int32_t a, std::int32_t b) {
      return place_[tail(index(a))] < place_[tail(index(b))];
    });
    FoundPath whole{{}, 0.0, 0.0};
    std::size_t at = source;
    const auto go = [&](std::size_t to) {
      const FoundPath part = best(at, to, costs, {}, {}, poll);
      whole.edges.insert(whole.edges.end(), part.edges.begin(), part.edges.end());
      whole.cost += part.cost;
      at = to;
      return part.cost < unreachable;
    };
    for (const std::int32_t e : through) {
      if (costs[index(e)] == unreachable || !go(tail(index(e)))) return {};
      whole.edges.push_back(e);
      whole.cost += costs[index(e)];
      at = head(index(e));
    }
    if (!go(target)) return {};
    whole.bound = whole.cost;
    return whole;
  }

  // Whether the edges that are not 0 form one simple path from the source to the target.
  bool is_path(std::size_t source, std::size_t target, std::span<const Label> labeling) const {
    struct Way {
      std::size_t from, to, edge;
    };
    std::vector<Way> ways;
    std::size_t chosen = 0;
    for (std::size_t e = 0; e < labeling.size(); ++e) {
      if (labeling[e] == 0) continue;
      ++chosen;
      ways.push_back({tail(e), head(e), e});
      if (!directed_) ways.push_back({head(e), tail(e), e});
    }
    std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.from < b.from; });
    std::size_t at = source, came = none;
    for (std::size_t steps = 0; steps <= chosen; ++steps) {
      auto way = std::lower_bound(ways.begin(), ways.end(), at,
                                  [](const Way& w, std::size_t node) { return w.from < node; });
      std::size_t open = 0;
      const Way* next = nullptr;
      for (; way != ways.end() && way->from == at; ++way) {
        if (way->edge != came) next = &*way, ++open;
      }
      if (at == target) return open == 0 && steps == chosen;
      if (open != 1) return false;
      came = next->edge;
      at = next->to;
    }
    return false;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr std::size_t patience =
      64;  // times the number of edges that a search with costs below 0 may look at

  std::size_t tail(std::size_t e) const { return index(ends_[2 * e]); }
  std::size_t head(std::size_t e) const { return index(ends_[2 * e + 1]); }
  std::size_t other_end(std::size_t e, std::size_t node) const { return tail(e) == node ? head(e) : tail(e); }

  static double lowest(std::span<const double> costs) {
    double low = 0.0;
    for (const double cost : costs) low = std::min(low, cost);
    return low;
  }

  // Kahn (1962); the order stays empty if there is a cycle.
  void sort_topologically() {
    std::vector<std::size_t> open(n_nodes_), order;
    for (std::size_t e = 0; e < n_edges(); ++e) ++open[head(e)];
    for (std::size_t v = 0; v < n_nodes_; ++v) {
      if (open[v] == 0) order.push_back(v);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      for_each(order[k], true, [&](Neighbour next) {
        if (--open[next.node()] == 0) order.push_back(next.node());
      });
    }
    if (order.size() < n_nodes_) return;
    place_.resize(n_nodes_);
    for (std::size_t k = 0; k < n_nodes_; ++k) place_[order[k]] = k;
    order_ = std::move(order);
  }

  double by_order(PathTree& tree, std::size_t source, std::size_t target, std::span<const double> costs,
                  Poll& poll) const {
    tree.distance[source] = 0.0;
    for (std::size_t k = place_[source]; k < place_[target]; ++k) {
      const std::size_t u = order_[k];
      if (tree.distance[u] == unreachable) continue;
      for_each(u, true, [&](Neighbour next) { lower(tree, u, next, costs[next.edge()]); });
      poll.tick();
    }
    return tree.distance[target];
  }

  static bool lower(PathTree& tree, std::size_t u, Neighbour next, double cost) {
    const double distance = tree.distance[u] + cost;
    if (!(distance < tree.distance[next.node()])) return false;
    tree.distance[next.node()] = distance;
    tree.edge[next.node()] = static_cast<std::int32_t>(next.edge());
    return true;
  }

  // Closed nodes may not be entered. Stops at the target if there is one. `ahead` turns it into A*.
  void dijkstra(PathTree& tree, std::size_t root, std::size_t target, bool away,
                std::span<const double> costs, std::span<const double> ahead,
                std::span<const std::uint8_t> closed, Poll& poll) const {
    using Entry = std::pair<double, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    std::vector<std::uint8_t> done(closed.begin(), closed.end());
    done.resize(n_nodes_);
    const auto rest = [&](std::size_t v) { return ahead.empty() ? 0.0 : ahead[v]; };
    tree.distance[root] = 0.0;
    heap.emplace(rest(root), static_cast<std::uint32_t>(root));
    while (!heap.empty()) {
      const std::size_t u = heap.top().second;
      heap.pop();
      if (done[u] != 0) continue;
      done[u] = 1;
      if (u == target) return;
      for_each(u, away, [&](Neighbour next) {
        const std::size_t v = next.node();
        if (done[v] != 0 || rest(v) == unreachable || !lower(tree, u, next, costs[next.edge()])) return;
        heap.emplace(tree.distance[v] + rest(v), static_cast<std::uint32_t>(v));
      });
      poll.tick();
    }
  }

  // Costs of any sign (Bellman 1958, Moore 1959), never closing a cycle. Returns a bound: with potentials p a
  // simple path costs p(target) - p(source) plus its reduced costs c + p(u) - p(v), and it enters each node
  // once at most. The distances found are such potentials, and if no cycle was in the way all reduced costs
  // are at least 0.
  double correct(PathTree& tree, std::size_t source, std::size_t target, std::span<const double> costs,
                 std::span<const std::uint8_t> closed, Poll& poll) const {
    const std::vector<std::uint8_t> useful = reaching(target, costs, closed, poll);
    std::deque<std::size_t> queue{source};
    std::vector<std::uint8_t> waiting(n_nodes_);
    tree.distance[source] = 0.0;
    std::size_t work = 0;
    const std::size_t most = patience * (n_edges() + n_nodes_);
    while (!queue.empty() && work < most) {
      const std::size_t u = queue.front();
      queue.pop_front();
      waiting[u] = 0;
      if (u == target) continue;
      for_each(u, true, [&](Neighbour next) {
        const std::size_t v = next.node();
        ++work;
        if (v == source || useful[v] == 0) return;
        if (!(tree.distance[u] + costs[next.edge()] < tree.distance[v])) return;
        if (is_behind(tree, source, v, u, work)) return;
        lower(tree, u, next, costs[next.edge()]);
        if (waiting[v] == 0) {
          waiting[v] = 1;
          queue.push_back(v);
        }
      });
      poll.tick(static_cast<std::uint32_t>(at_.at(u).size()));
    }
    if (queue.empty()) return bound_by(tree, source, target, costs, useful);
    PathTree other(n_nodes_);  // there was no time for all: potentials that are further from the truth
    std::vector<double> raised(costs.begin(), costs.end());
    for (double& cost : raised) cost = std::max(cost, 0.0);
    dijkstra(other, source, none, true, raised, {}, closed, poll);
    if (tree.distance[target] == unreachable) tree = other;
    return bound_by(other, source, target, costs, useful);
  }

  bool is_behind(const PathTree& tree, std::size_t source, std::size_t v, std::size_t u,
                 std::size_t& work) const {
    for (; u != source; u = other_end(index(tree.edge[u]), u)) {
      ++work;
      if (u == v) return true;
    }
    return u == v;
  }

  std::vector<std::uint8_t> reaching(std::size_t target, std::span<const double> costs,
                                     std::span<const std::uint8_t> closed, Poll& poll) const {
    std::vector<std::uint8_t> useful(n_nodes_);
    std::vector<std::size_t> open{target};
    useful[target] = 1;
    while (!open.empty()) {
      const std::size_t u = open.back();
      open.pop_back();
      for_each(u, false, [&](Neighbour next) {
        const std::size_t v = next.node();
        if (useful[v] != 0 || costs[next.edge()] == unreachable || (!closed.empty() && closed[v] != 0))
          return;
        useful[v] = 1;
        open.push_back(v);
      });
      poll.tick();
    }
    return useful;
  }

  double bound_by(const PathTree& tree, std::size_t source, std::size_t target, std::span<const double> costs,
                  std::span<const std::uint8_t> useful) const {
    if (tree.distance[target] == unreachable) return -unreachable;
    double bound = tree.distance[target];
    for (std::size_t v = 0; v < n_nodes_; ++v) {
      if (v == source || useful[v] == 0 || tree.distance[v] == unreachable) continue;
      double least = 0.0;
      for_each(v, false, [&](Neighbour next) {
        const std::size_t u = next.node();
        if (u == target || (useful[u] == 0 && u != source) || tree.distance[u] == unreachable) return;
        least = std::min(least, costs[next.edge()] + tree.distance[u] - tree.distance[v]);
      });
      bound += least;
    }
    return bound;
  }

  std::size_t n_nodes_;
  std::vector<std::int32_t> ends_;
  bool directed_;
  Incidence at_;
  std::vector<std::size_t> order_, place_;  // of an acyclic graph
};

}  // namespace hedgehop::graphs
