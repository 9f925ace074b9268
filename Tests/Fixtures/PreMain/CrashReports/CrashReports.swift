import LaunchLoader

/// A feature in a separate type.
private struct CrashReports: LaunchWorker {
  static let id: LaunchID = "crash reports"
  static let phase = LaunchPhase.late
  func launch(_ options: LaunchOptions) async throws { throw Unreachable() }
}

private struct Unreachable: Error, CustomStringConvertible {
  var description: String { "server is unreachable" }
}

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = { LaunchLoader.register(CrashReports.self) }
