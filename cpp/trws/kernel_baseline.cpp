// SPDX-License-Identifier: BSD-3-Clause
#define HEDGEHOP_TRWS_ISA trws_baseline
#define HEDGEHOP_TRWS_LANES 4
#include "trws/kernel.hpp"
