#ifndef INSTRUCTION_COUNTER_H
#define INSTRUCTION_COUNTER_H

/// Begins to count the instructions of all threads from zero, if valgrind's callgrind runs this program.
void instruction_counter_start(void);

/// Ends the count, which callgrind writes into a file of its own with this title.
///
/// Elsewhere, and if the program was built without valgrind's headers, both do nothing.
void instruction_counter_stop(const char *title);

#endif
