// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>

#include <atomic>
#include <utility>

#include "arrays.hpp"
#include "busy.hpp"
#include "learning/margin_dual.hpp"
#include "signals.hpp"

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
    nb::gil_scoped_release release;
    dual_.add(example, span_of(change), loss);
    const double gap = dual_.visit(example);
    dual_.average();
    return gap;
  }

  std::size_t passes(Vector<std::int32_t> order, double enough, double work) {
    const Busy busy(busy_, "dual");
    Poll poll = python_poll();
    nb::gil_scoped_release release;
    require_in_range("order", span_of(order), dual_.examples());
    std::size_t made = 0;
    const double each = static_cast<double>(dual_.entries() + order.size() + 1);
    for (double open = std::numeric_limits<double>::infinity();
         open > enough && static_cast<double>(made) * each < work; ++made) {
      open = dual_.pass(span_of(order), poll);
    }
    return made;
  }

  Result<double> weights() const { return copy(dual_.weights()); }
  Point now() const { return point(dual_.now()); }
  Point mean() const { return point(dual_.mean()); }

 private:
  static Result<double> copy(std::span<const double> values) {
    return give(std::vector<double>(values.begin(), values.end()), {values.size()});
  }

  Point point(const MarginPoint& at) const {
    const auto weights = dual_.project(at.v);
    double square = 0;
    for (const double w : weights) square += w * w;
    return {copy(weights), at.loss - 0.5 * square};
  }

  MarginDual dual_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace

void register_learning(nb::module_& m) {
  nb::class_<PyMarginDual>(m, "MarginDual",
                           "The dual of a structured support vector machine over planes, one example at a "
                           "time.\n\nWeights from first_attractive on are clipped at zero.")
      .def(nb::init<std::size_t, std::size_t, std::size_t, double>(), nb::arg("size"), nb::arg("examples"),
           nb::arg("first_attractive"), nb::arg("budget"))
      .def("visit", &PyMarginDual::visit, nb::arg("example"), nb::arg("change").noconvert(), nb::arg("loss"),
           nb::sig(
               "def visit(self, example: int, change: numpy.typing.NDArray[numpy.float64], loss: float) -> "
               "float"),
           "Add a plane of an example, move budget to its highest plane, return how far it was from optimal.")
      .def("passes", &PyMarginDual::passes, nb::arg("order").noconvert(), nb::arg("enough"), nb::arg("work"),
           nb::sig("def passes(self, order: numpy.typing.NDArray[numpy.int32], enough: float, work: float) "
                   "-> int"),
           "Visit examples in an order, again and again, until no more than `enough` is open or `work` "
           "entries "
           "of planes were looked at; return how often.")
      .def("weights", &PyMarginDual::weights,
           nb::sig("def weights(self) -> numpy.typing.NDArray[numpy.float64]"), "Those of the point.")
      .def("now", &PyMarginDual::now,
           nb::sig("def now(self) -> tuple[numpy.typing.NDArray[numpy.float64], float]"),
           "Weights and value of the dual at the point.")
      .def("mean", &PyMarginDual::mean,
           nb::sig("def mean(self) -> tuple[numpy.typing.NDArray[numpy.float64], float]"),
           "Weights and value of the dual at the mean of the points after each visit, later ones with more "
           "weight.");
}

}  // namespace hedgehop::bindings
