// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <atomic>
#include <limits>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "checks.hpp"
#include "learning/margin_dual.hpp"
#include "threads.hpp"

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

}  // namespace

void register_learning(nb::module_& m) {
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
