// The number of tests that `swift test` runs side by side.
//
// Swift Testing starts all tests at once. On the two threads that two processors give to tasks, thousands of tests that
// wait for each other starve. The limit is a variable of the environment, which this entry sets before `main` unless it
// is set: `SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=64 swift test` runs 64 tests side by side, `--no-parallel` one.

#if objectFormat(MachO)
@section("__DATA,__mod_init_func") @used
#else
@section(".init_array") @used
#endif
private let setsWidth: @convention(c) () -> Void = {
  let name = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"
  _ = unsafe setenv(name, "2", 0)  // Reason: no other thread runs yet.
}
