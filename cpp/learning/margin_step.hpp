// SPDX-License-Identifier: BSD-3-Clause
// How far to go in the dual of a structured support vector machine along one direction: exact, with the box
// of attractive weights inside. D(g) = l + g dl - 1/2 |[v + g dv]_+|^2 is concave in g; its slope dl - <[v +
// g dv]_+, dv> falls piecewise linearly, with a kink where an attractive weight passes zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hedgehop::learning {

class MarginStep {
 public:
  explicit MarginStep(double loss) : slope_(loss) {}

  // One weight: where it is, how it moves, whether it is clipped at zero.
  void add(double v, double dv, bool attractive) {
    if (attractive) {
      boxed_.push_back({v, dv});
    } else {
      slope_ -= v * dv;
      fall_ += dv * dv;
    }
  }

  // The g in [0, most] with the largest D.
  double best(double most) const {
    if (slope(0.0) <= 0) return 0.0;
    if (slope(most) >= 0) return most;
    const auto knots = knots_below(most);
    const auto after =
        std::partition_point(knots.begin(), knots.end(), [&](double g) { return slope(g) > 0; });
    const double left = after == knots.begin() ? 0.0 : *(after - 1);
    const double right = after == knots.end() ? most : *after;
    const double from = slope(left), to = slope(right);  // from > 0 >= to, and a line between them
    return left + (right - left) * (from / (from - to));
  }

 private:
  struct Boxed {
    double v, dv;
  };

  double slope(double g) const {
    double result = slope_ - g * fall_;
    for (const Boxed& b : boxed_) result -= std::max(0.0, b.v + g * b.dv) * b.dv;
    return result;
  }

  std::vector<double> knots_below(double most) const {
    std::vector<double> knots;
    for (const Boxed& b : boxed_) {
      const double zero = b.dv == 0 ? 0.0 : -b.v / b.dv;
      if (zero > 0 && zero < most) knots.push_back(zero);
    }
    std::sort(knots.begin(), knots.end());
    return knots;
  }

  double slope_, fall_ = 0;
  std::vector<Boxed> boxed_;
};

}  // namespace hedgehop::learning
