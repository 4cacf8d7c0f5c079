// SPDX-License-Identifier: BSD-3-Clause
#include "counts/ball_gain.hpp"

#include "arrays.hpp"

namespace hedgehop::bindings {

namespace {

void require_balls(const Labelings& members, std::span<const double> decay, std::size_t n_variables) {
  require_columns("chosen", members.columns, n_variables);
  require_size("decay", decay.size(), n_variables, "variable");
  require(members.rows <= max_coverage_members, "the exact gain takes at most " +
                                                    std::to_string(max_coverage_members) +
                                                    " chosen labelings; got " + std::to_string(members.rows));
  bool nonnegative = true;
  for (const double a : decay) nonnegative &= a >= 0.0;  // false for NaN
  require(nonnegative, "decay must be nonnegative and not NaN");
}

Result<double> ball_gain(Matrix<Label> labelings, Matrix<Label> chosen, Vector<double> decay) {
  const Labelings view = view_of(labelings), members = view_of(chosen);
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    require_balls(members, span_of(decay), view.columns);
    out.resize(view.rows);
    ball_gains(view, members, span_of(decay), out);
  }
  return give(std::move(out), {view.rows});
}

Result<double> ball_prefix_gains(Vector<Label> labeling, Matrix<Label> chosen, Vector<double> decay) {
  const Labelings members = view_of(chosen);
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    require_balls(members, span_of(decay), labeling.size());
    out.resize(members.rows);
    prefix_gains(span_of(labeling), members, span_of(decay), out);
  }
  return give(std::move(out), {members.rows});
}

}  // namespace

void register_coverage(nb::module_& m) {
  m.def("ball_gain", &ball_gain, nb::arg("labelings").noconvert(), nb::arg("chosen").noconvert(),
        nb::arg("decay").noconvert(),
        nb::sig("def ball_gain(labelings: numpy.typing.NDArray[numpy.int32], chosen: "
                "numpy.typing.NDArray[numpy.int32], "
                "decay: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]"),
        "Exact gain of each of (m, n) labelings in smooth Hamming-ball coverage on top of (k, n) chosen "
        "ones.\n\n"
        "Two labelings overlap by exp(-sum of the (n,) decay where they differ); k is at most 20.");
  m.def("ball_prefix_gains", &ball_prefix_gains, nb::arg("labeling").noconvert(),
        nb::arg("chosen").noconvert(), nb::arg("decay").noconvert(),
        nb::sig("def ball_prefix_gains(labeling: numpy.typing.NDArray[numpy.int32], chosen: "
                "numpy.typing.NDArray[numpy.int32], "
                "decay: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]"),
        "Exact gains of one (n,) labeling on top of the first 1, 2, ... of the (k, n) chosen ones: (k,).");
}

}  // namespace hedgehop::bindings
