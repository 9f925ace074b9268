// A feature that registers its launch work in its own file, on every platform.

import EventBus
import LaunchLoader

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = { register() }

private func register() {
  LaunchLoader.register("crash reports", phase: .early) { options in print("catch crashes") }
  LaunchLoader.register("search", after: ["database"]) { options in await Task.yield() }
  LaunchLoader.register("sync", needs: .account) { options, account in print(account) }
}

extension LaunchKeys { fileprivate static let account = LaunchKey<String>("account") }

// snippet.hide
LaunchLoader.register("database") { _ in }
LaunchLoader.register(.account) { _ in "Ada" }
// snippet.show

let bus = EventBus()
let attachment = LaunchLoader.shared.attach(to: bus)
bus.post(.didFinishLaunching, .current)

/// Called by the host when it has loaded the plug-in, after the launch: the work runs at once.
@_cdecl("plugin_did_load") public func pluginDidLoad() {
  LaunchLoader.register("plug-in", after: ["database"]) { options in print("start") }
}

// snippet.hide
let report = try await LaunchLoader.shared.report()
precondition(report.failures.isEmpty && report.entries.count == 5)
pluginDidLoad()
attachment.cancel()
