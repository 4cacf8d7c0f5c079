// SPDX-License-Identifier: BSD-3-Clause
#define HEDGEHOP_TRWS_ISA trws_avx512
#define HEDGEHOP_TRWS_LANES 16
#include "trws/kernel.hpp"
