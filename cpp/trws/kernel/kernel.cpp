// SPDX-License-Identifier: BSD-3-Clause
// The kernels of one instruction set, for every slot size. Compiled once per set, whose name
// (HEDGEHOP_TRWS_ISA, a namespace), register width (HEDGEHOP_TRWS_LANES) and flags are given by the build.
#include "trws/kernel/icm.hpp"
#include "trws/kernel/sweep.hpp"

namespace hedgehop::trws::HEDGEHOP_TRWS_ISA {
namespace {

// The widest vectors that fill K values exactly.
template <int K>
inline constexpr int lanes = K % HEDGEHOP_TRWS_LANES == 0            ? HEDGEHOP_TRWS_LANES
                             : HEDGEHOP_TRWS_LANES > 8 && K % 8 == 0 ? 8
                                                                     : 4;

template <int K, class F>
auto with_slot(F f) {
  return f.template operator()<lanes<K>, K / lanes<K>>();
}

template <class F>
auto with_slot(std::int32_t slot, F f) {
  switch (slot) {
    case 4:
      return with_slot<4>(f);
    case 8:
      return with_slot<8>(f);
    case 16:
      return with_slot<16>(f);
    case 24:
      return with_slot<24>(f);
    case 32:
      return with_slot<32>(f);
    case 48:
      return with_slot<48>(f);
    case 64:
      return with_slot<64>(f);
    default:
      return f.template operator()<lanes<16>, 0>();
  }
}

template <int W, int N, bool Table>
std::int64_t sweep_as(const Graph& g, std::int32_t first, std::int32_t last, Pass how) {
  switch (how) {
    case Pass::forward:
      return Sweep<W, N, true, false, Table>(g).run(first, last);
    case Pass::backward:
      return Sweep<W, N, false, false, Table>(g).run(first, last);
    case Pass::report_forward:
      return Sweep<W, N, true, true, Table>(g).run(first, last);
    default:
      return Sweep<W, N, false, true, Table>(g).run(first, last);
  }
}

std::int64_t sweep(const Graph& g, std::int32_t first, std::int32_t last, Pass how) {
  return with_slot(g.slot, [&]<int W, int N>() {
    return g.tables != nullptr ? sweep_as<W, N, true>(g, first, last, how)
                               : sweep_as<W, N, false>(g, first, last, how);
  });
}

std::int64_t polish(const Graph& g, std::int32_t first, std::int32_t last, std::int32_t* labels,
                    std::uint8_t* stale) {
  return with_slot(g.slot, [&]<int W, int N>() {
    return g.tables != nullptr ? Polish<W, N, true>(g, labels, stale).run(first, last)
                               : Polish<W, N, false>(g, labels, stale).run(first, last);
  });
}

}  // namespace

extern const Kernel kernel{&sweep, &polish, HEDGEHOP_TRWS_LANES};

}  // namespace hedgehop::trws::HEDGEHOP_TRWS_ISA
