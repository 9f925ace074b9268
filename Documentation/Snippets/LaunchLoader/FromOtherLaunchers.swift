// The equivalents of other launch mechanisms.

import LaunchLoader

LaunchLoader.register("push") { options in print("register for push messages") }
LaunchLoader.register("store", after: ["push"]) { options in print("open the store") }

struct CacheInitializer: LaunchWorker {
  static let dependencies: [LaunchID] = ["push"]
  func launch(_ options: LaunchOptions) async throws { print("warm the cache") }
}
LaunchLoader.register(CacheInitializer.self)

LaunchLoader.register("themes", phase: .idle) { options in print("later") }

// snippet.hide
let report = try await LaunchLoader.shared.launch()
precondition(report.failures.isEmpty)
