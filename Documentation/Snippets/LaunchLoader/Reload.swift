// A reload: the handler is awaited, and then the service manager is notified.

import EventBus
import LaunchLoader

// snippet.hide
let (rereads, reread) = AsyncStream<Void>.makeStream()
// snippet.show
actor Settings {
  private(set) var greeting = "hello"

  init(_ bus: EventBus) {
    bus.observe(.appShouldReload, owner: self) { settings, _ in
      do {
        try await settings.read()
      } catch {
        print("the old settings stay in effect: \(error)")
      }
    }
  }

  func read() async throws {
    greeting = "welcome"  // from a file
    // snippet.hide
    reread.yield()
    // snippet.show
  }
}

// snippet.hide
let app = AppHost()
let settings = Settings(app.bus)
try app.add("server") { context in
  try await context.waitUntilShutdown()
}
let running = Task { try await app.run() }
try await app.waitUntil(state: .active)
UnixSignal.inject(.hangup)
for await _ in rereads { break }
let greeting = await settings.greeting
precondition(greeting == "welcome")
app.shutdown()
let code = try await running.value
precondition(code == 0)
