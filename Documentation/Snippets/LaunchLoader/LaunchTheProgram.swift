// An entry that registers work before main, and the event that runs it.

import EventBus
import LaunchLoader

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = {
  LaunchLoader.register("analytics") { options in print("analytics: \(options.arguments)") }
}

let attachment = LaunchLoader.shared.attach(to: .default)
EventBus.default.post(.didFinishLaunching, .current)  // runs every worker, once
print(try await LaunchLoader.shared.report())  // what ran, from which file, how long it took

// snippet.hide
let report = try await LaunchLoader.shared.report()
precondition(report.entries.map(\.id) == ["analytics"])
attachment.cancel()
