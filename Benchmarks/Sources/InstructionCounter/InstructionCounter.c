#include "InstructionCounter.h"

#if __has_include(<valgrind/callgrind.h>)

#include <valgrind/callgrind.h>

void instruction_counter_start(void) { CALLGRIND_ZERO_STATS; }

void instruction_counter_stop(const char *title) { CALLGRIND_DUMP_STATS_AT(title); }

#else

void instruction_counter_start(void) {}

void instruction_counter_stop(const char *title) { (void)title; }

#endif
