// A program with one service, an event and an orderly end.

import EventBus
import LaunchLoader

nonisolated extension EventNames {
  static let didTick = EventName<Int>("clock.didTick")
}

let app = AppHost()
let printing = app.bus.observe(.didTick) { count in print("tick \(count)") }

// snippet.hide
let stopping = app.bus.observe(.didTick, where: { $0 == 2 }) { _ in app.shutdown() }
// snippet.show

try app.add("clock") { context in
  every(.seconds(1)) { tick in app.bus.post(.didTick, tick.index) }.attach(to: context.lifetime)
  context.markReady()
  try await context.waitUntilShutdown()  // Control-C, SIGTERM or app.shutdown()
}

await app.runAndExit()  // with 0 after an orderly stop; with 70 and a line if a service failed
