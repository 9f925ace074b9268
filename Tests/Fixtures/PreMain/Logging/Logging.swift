import LaunchLoader

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = { register() }

private func register() {
  LaunchLoader.register("logging") { options in
    print("logging started with \(options.arguments.dropFirst().joined(separator: " "))")
  }
  LaunchLoader.register(.logFile) { options in "\(options.arguments.count - 1).log" }
}

extension LaunchKeys {
  fileprivate static let logFile = LaunchKey<String>("log file")
}
