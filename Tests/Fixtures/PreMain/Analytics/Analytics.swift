import LaunchLoader

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = { register() }

private func register() {
  LaunchLoader.register("analytics", after: ["logging"]) { options in
    await Task.yield()
    print("analytics started in \(options.environment["PRE_MAIN_FIXTURE"] ?? "no environment")")
  }
  // The name is taken.
  LaunchLoader.register("analytics") { _ in print("analytics started twice") }
  // Another module makes the value; the name and the type are all that the two share.
  LaunchLoader.register("upload", needs: .logFile, phase: .late) { _, file in
    print("upload of \(file)")
  }
}

extension LaunchKeys {
  fileprivate static let logFile = LaunchKey<String>("log file")
}
