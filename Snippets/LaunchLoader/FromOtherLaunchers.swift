// What one writes here for what one wrote elsewhere.

import LaunchLoader

// snippet.hide
enum Push {
  static func register() async throws {}
}

final class Store: Sendable {}

// snippet.show
// application(_:didFinishLaunchingWithOptions:), each of its lines in the file that it concerns
LaunchLoader.register("push") { options in try await Push.register() }

// Initializer<T> with dependencies() and create(context)
struct StoreInitializer: LaunchWorker {
  static let dependencies: [LaunchID] = ["push"]
  func launch(_ options: LaunchOptions) async throws { _ = Store() }
}
LaunchLoader.register(StoreInitializer.self)

// dispatch_once in a singleton: work registered after the launch runs at once, once
LaunchLoader.register("themes", phase: .idle) { options in print("later") }

// snippet.hide
let report = try await LaunchLoader.shared.launch()
precondition(report.failures.isEmpty)
