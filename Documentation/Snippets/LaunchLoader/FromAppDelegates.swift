// The equivalents of an app delegate, start-up calls, a process lifecycle owner.

import EventBus
import LaunchLoader

LaunchLoader.register("push") { options in print("register for push messages") }
LaunchLoader.register("store", after: ["push"]) { options in print("open the store") }

final class Delegate: AppHostDelegate {
  func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) {
    print("launched")
  }
}

let app = AppHost(delegate: Delegate())
let active = app.bus.observe(.didBecomeActive) { print("active") }

struct CacheInitializer: LaunchWorker {
  static let dependencies: [LaunchID] = ["push"]
  func launch(_ options: LaunchOptions) async throws { print("warm the cache") }
}
LaunchLoader.register(CacheInitializer.self)

// snippet.hide
let running = Task { try await app.run() }
let ending = Task {
  try await app.waitUntil(state: .active)
  app.shutdown()
}
// snippet.show
var polling: Task<Void, Never>?
for await state in app.bus.events(.appStateDidChange) {
  polling?.cancel()
  polling = state == .active ? Task { print("poll") } : nil
  if state == .stopping { break }
}

// snippet.hide
try await ending.value
let code = try await running.value
precondition(code == 0)
