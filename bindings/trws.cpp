// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/pairs.hpp"
#include "common/threads.hpp"
#include "core/grid.hpp"
#include "objects/cell_scores.hpp"
#include "trws/solver.hpp"

namespace hedgehop::bindings {

namespace {

using Ranks = std::optional<Vector<std::int32_t>>;

// A solver and the arrays it was given, which stay where they are: scores are read from them again whenever
// theta changes, and labelings are valued in doubles from them.
class PyTrws {
 public:
  using PairValue = std::function<double(std::span<const Label>)>;

  PyTrws(trws::Solver solver, UnaryScores unary, Kept arrays, PairValue pairs)
      : solver_(std::move(solver)), unary_(unary), kept_(std::move(arrays)), pairs_(std::move(pairs)) {
    apply();
  }

  template <class T>
  PyTrws(Matrix<T> unary, const PyPairs& pairs, Ranks ranks, std::string_view instruction_set)
      : PyTrws(make(view_of(unary), pairs, ranks, instruction_set), view_of(unary), kept(unary),
               [pairs](std::span<const Label> y) { return pairs.view().value(y); }) {
    if (!pairs.view().are_potts()) tables_ = pairs;
  }

  template <class T>
  static std::unique_ptr<PyTrws> grid(Array<T> scores, int connectivity, std::vector<Array<double>> strengths,
                                      std::string_view instruction_set);

  template <class Theta>
  void add_linear(const Theta& theta) {
    const Busy busy(busy_, "solver");
    HeldChange other("theta", theta, solver_.n_variables(), solver_.n_labels());
    std::swap(theta_, other);
    try {
      apply();
    } catch (...) {  // the scores are refused: nothing changes
      std::swap(theta_, other);
      throw;
    }
    released_ = false;
  }

  // Lets go of theta, which may be larger than the scores; another one is to be given before the next run.
  void release_linear() {
    const Busy busy(busy_, "solver");
    released_ = !theta_.empty();
    theta_ = {};
  }

  void set_tables(Matrix<double> tables) {
    const Busy busy(busy_, "solver");
    require_linear();
    require(tables_ && tables_->has_all_labels(), "the solver must be one of tables, all labels everywhere");
    const Edges& edges = tables_->view().edges;
    require_size("tables", tables.shape(0), edges.rows, "edge");
    require_columns("tables", tables.shape(1), checked_product(solver_.n_labels(), solver_.n_labels()));
    require_finite("tables", span_of(tables));
    solver_.set_tables(edges, span_of(tables));
    pairs_ = [edges, tables, n = solver_.n_labels()](std::span<const Label> y) {
      double total = 0;
      edges.for_each([&](std::size_t e, std::size_t i, std::size_t j) {
        total += view_of(tables)(e, index(y[i]) * n + index(y[j]));
      });
      return total;
    };
    apply();
  }

  std::tuple<Result<Label>, double, double, int> run(int iterations, int check_every, double gap,
                                                     double least_gain, int threads) {
    const Busy busy(busy_, "solver");
    require(iterations >= 1 && check_every >= 1, "iterations and check_every must be at least 1");
    require(threads >= 0 && threads <= 2, "threads must be 0 (choose), 1 or 2");
    require_linear();
    Poll poll = python_poll();
    const trws::Answer answer = solver_.run({iterations, check_every, gap, least_gain, threads}, poll);
    Result<Label> labeling{solver_.n_variables()};
    solver_.best(labeling.values);
    const double value = value_of(labeling.values);
    return {std::move(labeling), value, answer.upper_bound, answer.iterations};
  }

  Result<float> beliefs() {
    const Busy busy(busy_, "solver");
    Result<float> out{solver_.n_variables(), solver_.n_labels()};
    Poll poll = python_poll();
    solver_.beliefs(out.values, poll);
    return out;
  }

  Result<std::uint8_t> close_labels(double reach) {
    const Busy busy(busy_, "solver");
    require(reach >= 0, "reach must be at least 0");
    Result<std::uint8_t> out{solver_.n_variables(), solver_.n_labels()};
    Poll poll = python_poll();
    solver_.close_labels(-static_cast<float>(reach), out.values, poll);
    return out;
  }

  std::tuple<double, Result<float>> label_bounds() {
    const Busy busy(busy_, "solver");
    Result<float> out{solver_.n_variables(), solver_.n_labels()};
    Poll poll = python_poll();
    const double top = solver_.label_bounds(out.values, poll);
    return {top, std::move(out)};
  }

  Result<Label> sweep_labelings() {
    const Busy busy(busy_, "solver");
    Result<Label> both{2, solver_.n_variables()};
    for (const int k : {0, 1}) solver_.decoded(k, both.view().row(index(k)));
    return both;
  }

  Result<Label> polish(Vector<Label> labeling) {
    const Busy busy(busy_, "solver");
    Result<Label> labels(checked(labeling));
    Poll poll = python_poll();
    solver_.polish(labels.values, poll);
    return labels;
  }

  double value(Vector<Label> labeling) {
    const Busy busy(busy_, "solver");
    require_linear();
    return value_of(checked(labeling));
  }

  void forget() {
    const Busy busy(busy_, "solver");
    solver_.forget();
  }

  Result<std::int32_t> messages() {
    const Busy busy(busy_, "solver");
    const auto slot = index(trws::slot_size(solver_.n_labels()));
    Result<std::int32_t> all{solver_.messages().size() / slot, slot};
    std::ranges::copy(solver_.messages(), all.values.begin());
    return all;
  }

  std::size_t bytes() const { return solver_.bytes(); }

 private:
  static trws::Solver make(const UnaryScores& unary, const PyPairs& pairs, const Ranks& ranks,
                           std::string_view instruction_set) {
    const auto check = [&](const auto& u) {
      require_shape("unary", u, pairs.n_variables(), pairs.n_labels());
    };
    std::visit(check, unary);
    pairs.require_no_loops();
    pairs.require_attractive();
    const auto order = ranks ? span_of(*ranks) : std::span<const std::int32_t>();
    if (ranks) require_permutation("ranks", order, pairs.n_variables());
    return make_solver(unary, pairs.view(), order, trws::kernel_for(instruction_set));
  }

  std::span<const Label> checked(const Vector<Label>& labeling) const {
    require_size("labeling", labeling.size(), solver_.n_variables(), "variable");
    require_in_range("labeling", span_of(labeling), solver_.n_labels());
    return span_of(labeling);
  }

  void require_linear() const { require(!released_, "theta was released: call add_linear first"); }

  void apply() {
    std::visit([&](const auto& unary) { solver_.set_scores(unary, theta_.change); }, unary_);
  }

  double value_of(std::span<const Label> labeling) const {
    trws::CarefulSum sum;
    const auto add = [&](const auto& unary) {
      for (std::size_t i = 0; i < labeling.size(); ++i) {
        const double x = static_cast<double>(unary(i, labeling[i])) +
                         change_at(theta_.change, i, labeling[i], solver_.n_labels());
        if (x == forbidden) return false;
        sum.add(x);
      }
      return true;
    };
    return std::visit(add, unary_) ? sum.value() + pairs_(labeling) : forbidden;
  }

  trws::Solver solver_;
  UnaryScores unary_;
  Kept kept_;
  HeldChange theta_;
  bool released_ = false;  // whether there was a theta, which is in the scores
  PairValue pairs_;
  std::optional<PyPairs> tables_;  // if it was made of tables
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

std::vector<std::span<const double>> checked_strengths(const std::vector<Array<double>>& arrays) {
  std::vector<std::span<const double>> result;
  for (const auto& array : arrays) {
    result.push_back(span_of(array));
    require_attractive(result.back());
  }
  return result;
}

template <class T>
std::unique_ptr<PyTrws> PyTrws::grid(Array<T> scores, int connectivity, std::vector<Array<double>> strengths,
                                     std::string_view instruction_set) {
  require(scores.ndim() >= 3, "scores must have shape (H, W, L) or (D, H, W, L)");
  std::vector<std::size_t> shape;
  for (std::size_t k = 0; k + 1 < scores.ndim(); ++k) shape.push_back(scores.shape(k));
  const std::size_t n_labels = scores.shape(scores.ndim() - 1);
  const GridPairs pairs(Grid(shape, connectivity), checked_strengths(strengths));
  require_model_size(pairs.edges().n_variables(), n_labels, pairs.edges().size());
  const MatrixView<const T> unary{span_of(scores), pairs.edges().n_variables(), n_labels};
  return std::make_unique<PyTrws>(trws::make_solver(pairs, n_labels, trws::kernel_for(instruction_set)),
                                  unary, kept(scores),
                                  [pairs, strengths](std::span<const Label> y) { return pairs.value(y); });
}

template <class T>
void def_makers(nb::class_<PyTrws>& type) {
  type.def(nb::init<Matrix<T>, const PyPairs&, Ranks, std::string_view>(), "unary"_a, "pairs"_a,
           "ranks"_a = nb::none(), "instruction_set"_a = "", NoGil(),
           "Potts strengths must be >= 0; sweeps go in the order of ranks.");
  type.def_static("grid", &PyTrws::grid<T>, "scores"_a, "connectivity"_a, "strengths"_a,
                  "instruction_set"_a = "", NoGil(),
                  "Potts scores on an image (H, W, L) or a volume (D, H, W, L), no list of edges.\n\n"
                  "One array of strengths per direction, in the order of hedgehop.models.grid.directions.");
}

void def_methods(nb::class_<PyTrws>& type) {
  type.def(
      "set_tables", &PyTrws::set_tables, "tables"_a, NoGil(),
      "Other finite scores on the edges, (E, L * L), for a solver that was made of tables. Messages stay.");
  type.def("add_linear", &PyTrws::add_linear<PyCellScores>, "theta"_a, NoGil());
  type.def("add_linear", &PyTrws::add_linear<std::optional<Matrix<double>>>, "theta"_a.none(), NoGil(),
           "Scores become unary + theta (not added to an earlier theta); None: unary alone. Messages stay.");
  type.def("release_linear", &PyTrws::release_linear, NoGil(),
           "Let go of theta, which is not copied: add_linear must be called before the next run.");
  type.def(
      "run", &PyTrws::run, "iterations"_a = 50, "check_every"_a = 5, "gap"_a = 0.0, "least_gain"_a = 0.05,
      "threads"_a = 0, NoGil(),
      "Best labeling since the scores were set, its value in doubles, an upper bound on every labeling's\n"
      "value, and the iterations made. Stops early when bound - value <= gap, or when the bound\n"
      "gained less than least_gain * (bound - value) in check_every iterations.");
  type.def(
      "beliefs", &PyTrws::beliefs, NoGil(),
      "One more iteration; (n, L) beliefs minus each variable's largest, -inf for labels that are in no\n"
      "optimal labeling because their scores are too low for any edges to make up for.");
  type.def(
      "close_labels", &PyTrws::close_labels, "reach"_a, NoGil(),
      "One more iteration; which (n, L) beliefs are at most `reach` below the variable's largest: 1 or 0.");
  type.def("label_bounds", &PyTrws::label_bounds, NoGil(),
           "One more iteration; a and (n, L) drops <= 0 such that no labeling with label l at variable i\n"
           "scores higher than a + drops[i, l], but for the rounding of drops.");
  type.def("sweep_labelings", &PyTrws::sweep_labelings, NoGil(),
           "The last labelings read off a forward and a backward sweep, (2, n).");
  type.def("polish", &PyTrws::polish, "labeling"_a, NoGil(),
           "The labeling after changing one variable at a time while that helps.");
  type.def("value", &PyTrws::value, "labeling"_a, NoGil(), "Score of a labeling, in doubles.");
  type.def("forget", &PyTrws::forget, "Starts afresh: all messages become 0.");
  type.def("messages", &PyTrws::messages,
           "A copy of the messages in fixed point, (E, padded labels), in the solver's order; for tests.");
  type.def_prop_ro("bytes", &PyTrws::bytes);
}

}  // namespace

void register_trws(nb::module_& m) {
  nb::class_<PyTrws> type(
      m, "Trws",
      "TRW-S with kept messages (maximisation). Arrays given are kept by reference: they must\n"
      "not change while the solver lives. Not for several threads at once.");
  def_makers<float>(type);
  def_makers<double>(type);
  def_methods(type);
}

}  // namespace hedgehop::bindings
