import LaunchLoader

// A dynamic library with a copy of LaunchLoader, whose file registers itself.
#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = { LaunchLoader.register("feature") { _ in print("feature") } }
