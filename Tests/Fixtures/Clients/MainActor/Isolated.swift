import EventBus
import LaunchLoader
import Theming

/// Code that says nothing about its isolation, and so is on the main actor.
final class Counters {
  var edges = 0
  let bus: EventBus

  init(_ bus: EventBus) {
    self.bus = bus
    bus.observe(.didSave, owner: self) { counters, _ in counters.edges += 1 }
  }

  func use() async throws {
    let app = AppHost(bus: bus)
    try app.add("counting") { context in
      try await context.waitUntilShutdown()
      await self.count()
    }
    app.loader.register { _ in self.edges += 1 }
    bus.post(.didSave)
    try ThemeManager.shared.use(Theme("plain", appearance: .dark))
  }

  func count() { edges += 1 }
}

/// A type that leaves the main actor.
nonisolated struct Crawler: AppService {
  let serviceName = "crawler"

  func run(_ context: AppServiceContext) async throws {
    context.markReady()
    EventBus.default.post(.didSave)
    try await context.waitUntilShutdown()
  }
}
