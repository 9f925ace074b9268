import LaunchLoader

// This file is the whole feature; no list mentions it. The loader of the operating system calls the
// entry before `main`; the work it registers runs when the launch event is posted.
#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = {
  LaunchLoader.register("logbook") { _ in Diary.shared.note("logbook") }
}
