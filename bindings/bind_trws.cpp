#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>
#include <variant>

#include "arrays.hpp"
#include "signals.hpp"
#include "trws_build.hpp"

namespace hedgehop::bindings {

namespace {

using Counts = Vector<std::int32_t>;
using Ranks = std::optional<Vector<std::int32_t>>;
template <class T>
using Image = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;  // any number of dimensions
using Strengths = std::vector<Image<double>>;
using Answer = std::tuple<Result<Label>, double, double, int>;
using UnaryArray = std::variant<Matrix<float>, Matrix<double>>;

void require_sizes(std::size_t n, std::size_t n_labels, std::size_t n_edges) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max() - 1;
  require(n <= most && n_edges <= most, "at most 2^31 - 2 variables and edges");
  require(n == 0 || n_labels > 0, "unary must have at least one label per variable");
  checked_product(checked_product(std::max(n, n_edges), std::max<std::size_t>(n_labels, 16)), 8);
}

void require_graph(const Edges& edges, std::size_t n) {
  require_edges(edges, n);
  for (std::size_t e = 0; e < edges.rows; ++e) {
    require(edges.row(e)[0] != edges.row(e)[1], "edge " + std::to_string(e) + " is a self-loop");
  }
}

void require_counts(std::span<const std::int32_t> counts, std::size_t n, std::size_t n_labels) {
  require_size("label_counts", counts.size(), n, "variable");
  for (const std::int32_t count : counts) {
    require(count >= 1 && static_cast<std::size_t>(count) <= n_labels,
            "label_counts must lie in 1.." + std::to_string(n_labels));
  }
}

void require_strengths(std::span<const double> strengths) {
  bool ok = true;
  for (const double s : strengths) ok &= s >= 0.0 && s < std::numeric_limits<double>::infinity();
  require(ok, "strengths must be finite and >= 0; give tables for other scores");
}

std::span<const std::int32_t> checked_ranks(const Vector<std::int32_t>& ranks, std::size_t n) {
  const auto values = span_of(ranks);
  require_size("ranks", values.size(), n, "variable");
  require_in_range("ranks", values, n);
  std::vector<std::uint8_t> seen(n, 0);
  for (const std::int32_t r : values) {
    require(seen[static_cast<std::size_t>(r)]++ == 0, "ranks must be a permutation");
  }
  return values;
}

std::vector<std::int32_t> ranks_of(const Ranks& ranks, std::size_t n, const Edges& edges) {
  if (!ranks) return trws_ranks(n, edges);
  const auto given = checked_ranks(*ranks, n);
  return {given.begin(), given.end()};
}

TableScores checked_tables(const Edges& edges, std::span<const std::int32_t> counts,
                           const Vector<double>& flat, const Vector<std::int64_t>& offsets,
                           const Vector<std::int32_t>& columns) {
  require_size("offsets", offsets.size(), edges.rows, "edge");
  require_size("columns", columns.size(), edges.rows, "edge");
  require_scores("flat", span_of(flat));
  const TableScores scores{span_of(flat), span_of(offsets), span_of(columns), counts};
  for (std::size_t e = 0; e < edges.rows; ++e) {
    const std::int64_t rows = counts[static_cast<std::size_t>(edges.row(e)[0])];
    const std::int64_t used = counts[static_cast<std::size_t>(edges.row(e)[1])];
    const std::int64_t width = scores.columns[e], start = scores.offsets[e];
    const std::int64_t room = static_cast<std::int64_t>(flat.size()) - ((rows - 1) * width + used);
    require(width >= used && start >= 0 && start <= room,
            "the table of edge " + std::to_string(e) + " does not fit into flat");
  }
  return scores;
}

template <class T>
UnaryRanges ranges_of(const MatrixView<const T>& unary, std::span<const std::int32_t> counts) {
  UnaryRanges ranges;
  for (std::size_t i = 0; i < unary.rows; ++i) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const T x : unary.row(i).first(static_cast<std::size_t>(counts[i]))) {
      if (!std::isfinite(x)) continue;
      low = std::min(low, static_cast<double>(x)), high = std::max(high, static_cast<double>(x));
    }
    if (!(high > low)) continue;
    ranges.largest = std::max(ranges.largest, high - low);
    ranges.total += high - low;
  }
  return ranges;
}

// The solver and the arrays it was given, which stay where they are: scores are read from them again whenever
// theta changes, and labelings are valued in doubles from them.
class Problem {
 public:
  using PairValue = std::function<double(std::span<const Label>)>;

  Problem(Trws solver, UnaryArray unary, PairValue pairs)
      : solver_(std::move(solver)), unary_(std::move(unary)), pairs_(std::move(pairs)) {
    apply();
  }

  template <class T>
  void set_unary(Matrix<T> unary) {
    const Hold hold(*this);
    check_shape("unary", unary.shape(0), unary.shape(1));
    replace(UnaryArray(std::move(unary)), std::nullopt);
  }

  void add_linear(std::optional<Matrix<double>> theta) {
    const Hold hold(*this);
    if (theta) check_shape("theta", theta->shape(0), theta->shape(1));
    replace(unary_, std::move(theta));
  }

  Answer run(int iterations, int check_every, double gap, double least_gain, int threads) {
    const Hold hold(*this);
    require(iterations >= 1 && check_every >= 1, "iterations and check_every must be at least 1");
    require(threads >= 0 && threads <= 2, "threads must be 0 (choose), 1 or 2");
    const TrwsOptions options{iterations, check_every, gap, least_gain, threads};
    std::vector<Label> labeling(solver_.n_variables());
    TrwsAnswer answer;
    double value;
    {
      nb::gil_scoped_release release;
      Poll poll = python_poll();
      answer = solver_.run(options, poll);
      solver_.best(labeling);
      value = value_of(labeling);
    }
    return {give(std::move(labeling), {solver_.n_variables()}), value, answer.upper_bound, answer.iterations};
  }

  Result<float> beliefs() {
    const Hold hold(*this);
    std::vector<float> out(solver_.n_variables() * solver_.n_labels());
    {
      nb::gil_scoped_release release;
      Poll poll = python_poll();
      solver_.beliefs(out, poll);
    }
    return give(std::move(out), {solver_.n_variables(), solver_.n_labels()});
  }

  Result<Label> decodes() {
    const Hold hold(*this);
    const std::size_t n = solver_.n_variables();
    std::vector<Label> both(2 * n);
    for (int k = 0; k < 2; ++k)
      solver_.decoded(k, std::span(both).subspan(static_cast<std::size_t>(k) * n, n));
    return give(std::move(both), {2, n});
  }

  Result<Label> polish(Vector<Label> labeling) {
    const Hold hold(*this);
    check_labeling(labeling);
    std::vector<Label> labels(labeling.data(), labeling.data() + labeling.size());
    {
      nb::gil_scoped_release release;
      Poll poll = python_poll();
      solver_.polish(labels, poll);
    }
    return give(std::move(labels), {solver_.n_variables()});
  }

  double value(Vector<Label> labeling) {
    const Hold hold(*this);
    check_labeling(labeling);
    return value_of(span_of(labeling));
  }

  void forget() {
    const Hold hold(*this);
    solver_.forget();
  }

  Result<std::int32_t> messages() {
    const Hold hold(*this);
    const auto all = solver_.messages();
    const std::size_t slot = static_cast<std::size_t>(trws_slot(solver_.n_labels()));
    return give(std::vector<std::int32_t>(all.begin(), all.end()), {all.size() / slot, slot});
  }

  const Trws& solver() const { return solver_; }

 private:
  // One call at a time: the GIL is released while a solver works.
  class Hold {
   public:
    explicit Hold(Problem& problem) : busy_(problem.busy_) {
      if (busy_.test_and_set()) throw std::runtime_error("this solver is at work in another thread");
    }
    ~Hold() { busy_.clear(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    std::atomic_flag& busy_;
  };

  void check_shape(const char* name, std::size_t rows, std::size_t columns) const {
    require_size(name, rows, solver_.n_variables(), "variable");
    require_columns(name, columns, solver_.n_labels());
  }

  void check_labeling(const Vector<Label>& labeling) const {
    require_size("labeling", labeling.size(), solver_.n_variables(), "variable");
    require_in_range("labeling", span_of(labeling), solver_.n_labels());
  }

  // Either everything is replaced or, if the scores are refused, nothing.
  void replace(UnaryArray unary, std::optional<Matrix<double>> theta) {
    std::swap(unary_, unary);
    std::swap(theta_, theta);
    try {
      apply();
    } catch (...) {
      std::swap(unary_, unary);
      std::swap(theta_, theta);
      throw;
    }
  }

  std::span<const double> theta_values() const {
    return theta_ ? std::span<const double>(theta_->data(), theta_->size()) : std::span<const double>();
  }

  void apply() {
    nb::gil_scoped_release release;
    std::visit([&](const auto& unary) { solver_.set_scores(view_of(unary), theta_values()); }, unary_);
  }

  // f(score of (variable, label)) with the type of the scores known.
  template <class F>
  auto with_scores(F f) const {
    const double* theta = theta_ ? theta_->data() : nullptr;
    return std::visit(
        [&](const auto& unary) {
          return f([data = unary.data(), theta](std::size_t at) {
            return static_cast<double>(data[at]) + (theta != nullptr ? theta[at] : 0.0);
          });
        },
        unary_);
  }

  double value_of(std::span<const Label> labeling) const {
    const double unary = with_scores([&](auto score) {
      CarefulSum sum;
      for (std::size_t i = 0; i < labeling.size(); ++i) {
        const double x = score(i * solver_.n_labels() + static_cast<std::size_t>(labeling[i]));
        if (x == forbidden) return forbidden;
        sum.add(x);
      }
      return sum.value();
    });
    return unary + pairs_(labeling);
  }

  Trws solver_;
  UnaryArray unary_;
  std::optional<Matrix<double>> theta_;
  PairValue pairs_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

template <class T>
std::unique_ptr<Problem> potts(Matrix<T> unary, std::optional<Counts> label_counts,
                               Matrix<std::int32_t> edges, Vector<double> strengths, Ranks ranks,
                               std::string_view instruction_set) {
  const std::size_t n = unary.shape(0), n_labels = unary.shape(1);
  const Edges pairs = view_of(edges);
  const auto solver = [&] {
    nb::gil_scoped_release release;
    require_sizes(n, n_labels, pairs.rows);
    require_graph(pairs, n);
    require_size("strengths", strengths.size(), pairs.rows, "edge");
    require_strengths(span_of(strengths));
    const auto counts = label_counts ? span_of(*label_counts) : std::span<const std::int32_t>();
    if (label_counts) require_counts(counts, n, n_labels);
    return make_trws_potts({n, n_labels, counts}, pairs, span_of(strengths), ranks_of(ranks, n, pairs),
                           trws_kernel(instruction_set));
  };
  auto value = [edges, strengths](std::span<const Label> y) {
    return potts_value(view_of(edges), span_of(strengths), y);
  };
  return std::make_unique<Problem>(solver(), UnaryArray(unary), value);
}

template <class T>
std::unique_ptr<Problem> tables(Matrix<T> unary, Counts label_counts, Matrix<std::int32_t> edges,
                                Vector<double> flat, Vector<std::int64_t> offsets,
                                Vector<std::int32_t> columns, Ranks ranks, std::string_view instruction_set) {
  const MatrixView<const T> scores = view_of(unary);
  const Edges pairs = view_of(edges);
  const auto solver = [&] {
    nb::gil_scoped_release release;
    require_sizes(scores.rows, scores.columns, pairs.rows);
    require_graph(pairs, scores.rows);
    const auto counts = span_of(label_counts);
    require_counts(counts, scores.rows, scores.columns);
    const TableScores table_scores = checked_tables(pairs, counts, flat, offsets, columns);
    return make_trws_tables({scores.rows, scores.columns, counts}, pairs, table_scores,
                            ranges_of(scores, counts), ranks_of(ranks, scores.rows, pairs),
                            trws_kernel(instruction_set));
  };
  auto value = [label_counts, edges, flat, offsets, columns](std::span<const Label> y) {
    const TableScores s{span_of(flat), span_of(offsets), span_of(columns), span_of(label_counts)};
    double total = 0.0;
    EdgeList{view_of(edges)}.for_each([&](std::size_t e, std::size_t a, std::size_t b) {
      total += s.score(e, true, static_cast<std::size_t>(y[a]), static_cast<std::size_t>(y[b]));
    });
    return total;
  };
  return std::make_unique<Problem>(solver(), UnaryArray(unary), value);
}

std::vector<std::span<const double>> checked_strengths(const Strengths& arrays) {
  std::vector<std::span<const double>> result;
  for (const auto& array : arrays) {
    result.emplace_back(array.data(), array.size());
    require_strengths(result.back());
  }
  return result;
}

template <class T>
std::unique_ptr<Problem> grid(Image<T> scores, int connectivity, Strengths strengths,
                              std::string_view instruction_set) {
  require(scores.ndim() >= 3, "scores must have shape (H, W, L) or (D, H, W, L)");
  std::vector<std::size_t> shape;
  for (std::size_t k = 0; k + 1 < scores.ndim(); ++k) shape.push_back(scores.shape(k));
  const std::size_t n_labels = scores.shape(scores.ndim() - 1);
  const GridEdges edges(shape, connectivity);
  const GridStrengths strength(edges, checked_strengths(strengths));
  const auto solver = [&] {
    nb::gil_scoped_release release;
    require_sizes(edges.n_variables(), n_labels, edges.size());
    return make_trws_grid(edges, strength, n_labels, trws_kernel(instruction_set));
  };
  auto value = [edges, strength, strengths](std::span<const Label> y) {
    return grid_value(edges, strength, y);
  };
  const std::size_t flat_shape[] = {edges.n_variables(), n_labels};
  const Matrix<T> flat(scores.data(), 2, flat_shape, nb::cast(scores));
  return std::make_unique<Problem>(solver(), UnaryArray(flat), value);
}

#define HEDGEHOP_INT32 "numpy.typing.NDArray[numpy.int32]"
#define HEDGEHOP_INT64 "numpy.typing.NDArray[numpy.int64]"
#define HEDGEHOP_REAL "numpy.typing.NDArray[numpy.float64]"
#define HEDGEHOP_RANKS "ranks: " HEDGEHOP_INT32 " | None = None, instruction_set: str = ''"

template <class T>
void def_makers(nb::class_<Problem>& type, const std::string& real) {
  const std::string potts_sig = "def potts(unary: " + real +
                                ", label_counts: " HEDGEHOP_INT32 " | None, edges: " HEDGEHOP_INT32
                                ", strengths: " HEDGEHOP_REAL ", " HEDGEHOP_RANKS ") -> Trws";
  type.def_static("potts", &potts<T>, nb::arg("unary").noconvert(),
                  nb::arg("label_counts").noconvert().none(), nb::arg("edges").noconvert(),
                  nb::arg("strengths").noconvert(), nb::arg("ranks").noconvert() = nb::none(),
                  nb::arg("instruction_set") = "", nb::sig(potts_sig.c_str()),
                  "Scores -strengths[e] (finite, >= 0) where labels differ; sweeps in the order of ranks.");
  const std::string tables_sig = "def tables(unary: " + real +
                                 ", label_counts: " HEDGEHOP_INT32 ", edges: " HEDGEHOP_INT32
                                 ", flat: " HEDGEHOP_REAL ", offsets: " HEDGEHOP_INT64
                                 ", columns: " HEDGEHOP_INT32 ", " HEDGEHOP_RANKS ") -> Trws";
  type.def_static("tables", &tables<T>, nb::arg("unary").noconvert(), nb::arg("label_counts").noconvert(),
                  nb::arg("edges").noconvert(), nb::arg("flat").noconvert(), nb::arg("offsets").noconvert(),
                  nb::arg("columns").noconvert(), nb::arg("ranks").noconvert() = nb::none(),
                  nb::arg("instruction_set") = "", nb::sig(tables_sig.c_str()),
                  "Scores P_e(a, b) = flat[offsets[e] + a * columns[e] + b]; -inf forbids a pair.");
  const std::string grid_sig = "def grid(scores: " + real +
                               ", connectivity: int, strengths: list[" HEDGEHOP_REAL
                               "], instruction_set: str = '') -> Trws";
  type.def_static("grid", &grid<T>, nb::arg("scores").noconvert(), nb::arg("connectivity"),
                  nb::arg("strengths").noconvert(), nb::arg("instruction_set") = "",
                  nb::sig(grid_sig.c_str()),
                  "Potts scores on an image (H, W, L) or a volume (D, H, W, L), no list of edges.\n\n"
                  "One array of strengths a direction, in the order of hedgehop.models.grid.directions.");
  const std::string set_sig = "def set_unary(self, unary: " + real + ") -> None";
  type.def("set_unary", &Problem::set_unary<T>, nb::arg("unary").noconvert(), nb::sig(set_sig.c_str()),
           "Replaces the (n, L) scores and drops theta; messages stay.");
}

void def_methods(nb::class_<Problem>& type) {
  type.def("add_linear", &Problem::add_linear, nb::arg("theta").noconvert().none(),
           nb::sig("def add_linear(self, theta: " HEDGEHOP_REAL " | None) -> None"),
           "Scores become unary + theta (not added to an earlier theta); None: unary alone. Messages stay.");
  type.def(
      "run", &Problem::run, nb::arg("iterations") = 50, nb::arg("check_every") = 5, nb::arg("gap") = 1e-6,
      nb::arg("least_gain") = 0.05, nb::arg("threads") = 0,
      nb::sig(
          "def run(self, iterations: int = 50, check_every: int = 5, gap: float = 1e-06, least_gain: float = "
          "0.05, threads: int = 0) -> tuple[" HEDGEHOP_INT32 ", float, float, int]"),
      "Best labeling since the scores were set, its value in doubles, an upper bound on every labeling's\n"
      "value, and the iterations made. Stops early when bound - value <= gap * |value|, or when the bound\n"
      "gained less than least_gain * (bound - value) in check_every iterations.");
  type.def(
      "beliefs", &Problem::beliefs, nb::sig("def beliefs(self) -> numpy.typing.NDArray[numpy.float32]"),
      "One more iteration; (n, L) beliefs minus each variable's largest, -inf for labels that are in no\n"
      "optimal labeling because their scores are too low for any edges to make up for.");
  type.def("decodes", &Problem::decodes, nb::sig("def decodes(self) -> " HEDGEHOP_INT32),
           "The last labelings read off a forward and a backward sweep, (2, n).");
  type.def("polish", &Problem::polish, nb::arg("labeling").noconvert(),
           nb::sig("def polish(self, labeling: " HEDGEHOP_INT32 ") -> " HEDGEHOP_INT32),
           "The labeling after changing one variable at a time while that helps.");
  type.def("value", &Problem::value, nb::arg("labeling").noconvert(),
           nb::sig("def value(self, labeling: " HEDGEHOP_INT32 ") -> float"),
           "Score of a labeling, in doubles.");
  type.def("forget", &Problem::forget, "Starts afresh: all messages become 0.");
  type.def("messages", &Problem::messages, nb::sig("def messages(self) -> " HEDGEHOP_INT32),
           "A copy of the messages in fixed point, (E, padded labels), in the solver's order; for tests.");
  type.def_prop_ro("bytes", [](const Problem& p) { return p.solver().bytes(); });
  type.def_prop_ro("lanes", [](const Problem& p) { return p.solver().kernel().lanes; });
}

}  // namespace

void register_trws(nb::module_& m) {
  nb::class_<Problem> type(
      m, "Trws",
      "TRW-S with kept messages (maximisation). Arrays given are kept by reference: they must\n"
      "not change while the solver lives. Not for several threads at once.");
  def_makers<float>(type, "numpy.typing.NDArray[numpy.float32]");
  def_makers<double>(type, HEDGEHOP_REAL);
  def_methods(type);
}

}  // namespace hedgehop::bindings
