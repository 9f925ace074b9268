// The equivalents of other launch mechanisms.

import LaunchLoader

// application(_:didFinishLaunchingWithOptions:), each statement in the file of its feature
LaunchLoader.register("push") { options in print("register for push messages") }

// Initializer<T> with dependencies() and create(context)
struct StoreInitializer: LaunchWorker {
  static let dependencies: [LaunchID] = ["push"]
  func launch(_ options: LaunchOptions) async throws { print("open the store") }
}
LaunchLoader.register(StoreInitializer.self)

// dispatch_once in a singleton: work registered after the launch runs at once, once
LaunchLoader.register("themes", phase: .idle) { options in print("later") }

// snippet.hide
let report = try await LaunchLoader.shared.launch()
precondition(report.failures.isEmpty)
