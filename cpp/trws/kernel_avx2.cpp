// SPDX-License-Identifier: BSD-3-Clause
#define HEDGEHOP_TRWS_ISA trws_avx2
#define HEDGEHOP_TRWS_LANES 8
#include "trws/kernel.hpp"
