// A reload: the handler is awaited, and then the service manager is notified.

import EventBus
import LaunchLoader

actor Settings {
  private(set) var greeting = "hello"

  func read() async throws {
    // read the file, then:
    greeting = "welcome"
  }
}

let app = AppHost()
let settings = Settings()

let reloads = app.bus.observe(.appShouldReload) { () async in
  do {
    try await settings.read()
  } catch {
    print("the old settings stay: \(error)")
  }
}

try app.add("server") { context in
  // Reads the settings for each request.
  try await context.waitUntilShutdown()
}

extension Settings {
  func followReloads(_ bus: EventBus) {
    bus.observe(.appShouldReload, owner: self) { settings, _ in try await settings.read() }
  }
}

// snippet.hide
await settings.followReloads(app.bus)
let running = Task { try await app.run() }
try await app.waitUntil(state: .active)
UnixSignal.inject(.hangup)
while await settings.greeting == "hello" { await Task.yield() }
app.shutdown()
let code = try await running.value
precondition(code == 0)
