// A feature that registers its launch work in its own file, on every platform.

// snippet.hide
import EventBus
// snippet.show
import LaunchLoader

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
private let entry: LaunchEntry = { register() }
#else
@section(".init_array") @used
private let entry: LaunchEntry = { register() }
#endif

private func register() {
  LaunchLoader.register("crash reports", phase: .early) { options in CrashReports.start() }
  LaunchLoader.register("search", after: ["database"]) { options in try await Search.open() }
}

// snippet.hide
private enum CrashReports {
  static func start() {}
}

private enum Search {
  static func open() async throws {}
}

// snippet.show
/// Called by the host when it has loaded the plug-in, after the launch: the work runs at once.
@_cdecl("plugin_did_load") public func pluginDidLoad() {
  LaunchLoader.register("plug-in", after: ["database"]) { options in try await Plugin.start() }
}
// snippet.hide
private enum Plugin {
  static func start() async throws {}
}

@main
private enum Program {
  static func main() async throws {
    LaunchLoader.register("database") { _ in }
    let bus = EventBus()
    // snippet.show
    let attachment = LaunchLoader.shared.attach(to: bus)
    bus.post(.didFinishLaunching, .current)
    // snippet.hide
    let report = try await LaunchLoader.shared.report
    precondition(report.failures.isEmpty && report.entries.count == 3)
    pluginDidLoad()
    attachment.cancel()
  }
}
