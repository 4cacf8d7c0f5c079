// SPDX-License-Identifier: BSD-3-Clause
// Which kernels to use: the best this machine can run.
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "trws/solver.hpp"

namespace hedgehop {

std::int32_t trws_slot(std::size_t n_labels) {
  if (n_labels > static_cast<std::size_t>(kTrwsMostLabels)) {
    throw std::invalid_argument("at most " + std::to_string(kTrwsMostLabels) + " labels; got " +
                                std::to_string(n_labels));
  }
  const auto wanted = static_cast<std::int32_t>(n_labels);
  for (const std::int32_t size : {4, 8, 16, 24, 32, 48, 64}) {
    if (wanted <= size) return size;
  }
  return (wanted + 15) / 16 * 16;
}

const TrwsKernel& trws_kernel(std::string_view instruction_set) {
#ifdef HEDGEHOP_TRWS_X86
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  if (avx512 && (instruction_set.empty() || instruction_set == "avx512")) return trws_avx512::kernel;
  if (avx2 && (instruction_set.empty() || instruction_set == "avx2")) return trws_avx2::kernel;
#endif
  if (instruction_set.empty() || instruction_set == "baseline") return trws_baseline::kernel;
  throw std::invalid_argument("no kernels for the instruction set '" + std::string(instruction_set) +
                              "' on this machine");
}

}  // namespace hedgehop
