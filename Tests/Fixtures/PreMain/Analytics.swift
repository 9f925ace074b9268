import LaunchLoader

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
private let entry: LaunchEntry = { register() }
#else
@section(".init_array") @used
private let entry: LaunchEntry = { register() }
#endif

private func register() {
  LaunchLoader.register("analytics") { options in
    await Task.yield()
    print("analytics started in \(options.environment["PRE_MAIN_FIXTURE"] ?? "no environment")")
  }
  // The name is taken.
  LaunchLoader.register("analytics") { _ in print("analytics started twice") }
}

/// A feature in a type of its own.
private struct CrashReports: LaunchWorker {
  static let id: LaunchID = "crash reports"
  func launch(_ options: LaunchOptions) async throws { throw Unreachable() }
}

private struct Unreachable: Error, CustomStringConvertible {
  var description: String { "server is unreachable" }
}

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
private let typeEntry: LaunchEntry = { LaunchLoader.register(CrashReports.self) }
#else
@section(".init_array") @used
private let typeEntry: LaunchEntry = { LaunchLoader.register(CrashReports.self) }
#endif
