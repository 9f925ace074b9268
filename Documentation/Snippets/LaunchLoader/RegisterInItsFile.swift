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
}

// snippet.hide
LaunchLoader.register("database") { _ in }
// snippet.show
let attachment = LaunchLoader.shared.attach(to: .default)
EventBus.default.post(.didFinishLaunching, .current)  // runs all launch work, once
let report = try await LaunchLoader.shared.report()

// snippet.hide
precondition(report.failures.isEmpty && report.entries.count == 3)
attachment.cancel()
