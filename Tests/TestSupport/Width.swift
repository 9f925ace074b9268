// The number of tests that `swift test` runs side by side: one.
//
// Swift Testing starts all tests at once. On the two threads that two processors give to tasks, thousands of tests that
// wait for each other starve, a test that waits for rest waits for all others, and signals of the system reach every
// test of the process. Two at a time are no faster than one, as most tests compute. The limit is a variable of the
// environment, which this entry sets before `main` unless it is set:
// `SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=64 swift test` runs 64 tests side by side.

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: @convention(c) () -> Void = { setWidth() }

private func setWidth() {
  let name = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"
  _ = unsafe setenv(name, "1", 0)  // Reason: no other thread runs yet.
}
