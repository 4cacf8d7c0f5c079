// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/threads.hpp"
#include "learning/extra_trees.hpp"
#include "learning/margin_dual.hpp"

namespace hedgehop::bindings {

namespace {

using Point = std::pair<Result<double>, double>;

class PyMarginDual {
 public:
  PyMarginDual(std::size_t size, std::size_t examples, std::size_t first_attractive, double budget)
      : dual_(size, examples, first_attractive, budget) {}

  double visit(std::size_t example, Vector<double> change, double loss) {
    const Busy busy(busy_, "dual");
    require(example < dual_.examples(), "example must be below " + std::to_string(dual_.examples()));
    require_size("change", change.size(), dual_.size(), "weight");
    dual_.add(example, span_of(change), loss);
    const double gap = dual_.visit(example);
    dual_.average();
    return gap;
  }

  std::size_t passes(Vector<std::int32_t> order, double enough, double work) {
    const Busy busy(busy_, "dual");
    Poll poll = python_poll();
    require_in_range("order", span_of(order), dual_.examples());
    std::size_t made = 0;
    const double each = static_cast<double>(dual_.entries() + order.size() + 1);
    for (double open = std::numeric_limits<double>::infinity();
         open > enough && static_cast<double>(made) * each < work; ++made) {
      open = dual_.pass(span_of(order), poll);
    }
    return made;
  }

  Result<double> weights() const { return Result<double>(dual_.weights()); }
  Point now() const { return point(dual_.now()); }
  Point mean() const { return point(dual_.mean()); }

 private:
  Point point(const learning::MarginPoint& at) const {
    auto weights = dual_.project(at.v);
    double square = 0;
    for (const double w : weights) square += w * w;
    return {Result<double>(std::move(weights)), at.loss - 0.5 * square};
  }

  learning::MarginDual dual_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

Result<double> extra_trees(Matrix<double> rows, Vector<std::int32_t> examples, Vector<std::int32_t> labels,
                           std::size_t n_labels, std::size_t trees, std::uint64_t seed) {
  const auto all = view_of(rows);
  require_finite("rows", all.data);
  require(examples.size() > 0 && trees > 0, "there must be an example and a tree");
  require_in_range("examples", span_of(examples), all.rows);
  require_size("labels", labels.size(), examples.size(), "example");
  require_in_range("labels", span_of(labels), n_labels);
  std::vector<bool> used(n_labels);
  for (const Label label : span_of(labels)) used[index(label)] = true;
  require(std::find(used.begin(), used.end(), false) == used.end(), "every label must have an example");
  Result<double> shares{all.rows, n_labels};
  Poll poll = python_poll();
  learning::ExtraTrees forest(all, span_of(examples), span_of(labels), n_labels, seed);
  for (std::size_t tree = 0; tree < trees; ++tree) forest.grow(shares.view(), poll);
  for (double& share : shares.values) share /= static_cast<double>(trees);
  return shares;
}

}  // namespace

void register_learning(nb::module_& m) {
  m.def("extra_trees", &extra_trees, "rows"_a, "examples"_a, "labels"_a, "n_labels"_a, "trees"_a, "seed"_a,
        NoGil(),
        "Probability of each label of each row, (rows, labels), by extremely randomised trees grown on some\n"
        "of the rows; labels weigh the same in total.");
  nb::class_<PyMarginDual>(m, "MarginDual",
                           "The dual of a structured support vector machine over planes, one example at a "
                           "time.\n\nWeights from first_attractive on are clipped at zero.")
      .def(nb::init<std::size_t, std::size_t, std::size_t, double>(), "size"_a, "examples"_a,
           "first_attractive"_a, "budget"_a)
      .def("visit", &PyMarginDual::visit, "example"_a, "change"_a, "loss"_a, NoGil(),
           "Add a plane of an example, move budget to its highest plane, return how far it was from optimal.")
      .def("passes", &PyMarginDual::passes, "order"_a, "enough"_a, "work"_a, NoGil(),
           "Visit examples in an order, again and again, until no more than `enough` is open or `work`\n"
           "entries of planes were looked at; return how often.")
      .def("weights", &PyMarginDual::weights, "Those of the point.")
      .def("now", &PyMarginDual::now, "Weights and value of the dual at the point.")
      .def("mean", &PyMarginDual::mean,
           "Weights and value of the dual at the mean of the points after each visit, later ones with more\n"
           "weight.");
}

}  // namespace hedgehop::bindings
