// Launch work in the file of its feature, registered before main.

// snippet.hide
import EventBus
// snippet.show
import LaunchLoader

@section(".init_array") @used  // Mach-O: "__DATA,__mod_init_func,mod_init_funcs"
private let entry: LaunchEntry = {
  LaunchLoader.register("analytics") { options in Analytics.start(options) }
}

// snippet.hide
private enum Analytics {
  static func start(_ options: LaunchOptions) { print("analytics: \(options.reason)") }
}

@main
private enum Program {
  static func main() async throws {
    // snippet.show
    let attachment = LaunchLoader.shared.attach(to: .default)
    EventBus.default.post(.didFinishLaunching, .current)  // runs every worker, once
    print(try await LaunchLoader.shared.report)  // who ran, from which file, how long it took
    // snippet.hide
    let report = try await LaunchLoader.shared.report
    precondition(report.entries.map(\.id) == ["analytics"])
    attachment.cancel()
  }
}
