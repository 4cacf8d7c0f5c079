// SPDX-License-Identifier: BSD-3-Clause
// Factors as Python gives them: label counts, the variables of all factors end to end, their tables likewise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "graphs/elimination.hpp"

namespace hedgehop::bindings {

inline graphs::Scopes checked_scopes(const Vector<std::int32_t>& counts,
                                     const Vector<std::int32_t>& variables,
                                     const Vector<std::int64_t>& starts) {
  require(starts.size() > 0, "starts must hold the end of the last scope");
  require_starts("starts", span_of(starts), variables.size(), "variables");
  require_in_range("variables", span_of(variables), counts.size());
  for (const std::int32_t count : span_of(counts)) {
    require(count >= 1 && count <= 65535, "label_counts must be in 1..65535");
  }
  return {span_of(variables), span_of(starts)};
}

inline void require_tables(const Vector<std::int32_t>& counts, const graphs::Scopes& scopes,
                           const Vector<double>& tables) {
  std::size_t cells = 0;
  for (std::size_t f = 0; f < scopes.size(); ++f) {
    std::size_t size = 1;
    for (const std::int32_t v : scopes[f]) size = checked_product(size, index(span_of(counts)[index(v)]));
    cells += size;
  }
  require_size("tables", tables.size(), cells, "cell");
}

}  // namespace hedgehop::bindings
