// A first program: a service, launch work, a second service, an event, the end.

import EventBus
import LaunchLoader

let app = AppHost()

try app.add("clock") { context in
  every(.seconds(1)) { tick in print("tick \(tick.index)") }.attach(to: context.lifetime)
  try await context.waitUntilShutdown()
}

LaunchLoader.register("greeting") { options in print("hello") }

try app.add("database", reportsReadiness: true) { context in
  print("connect")
  context.markReady()
  try await context.waitUntilShutdown()
  print("the database closes")
}

try app.add("web", after: ["database"]) { context in
  context.onShutdown { print("no more connections") }
  try await context.waitUntilShutdown()
}

let serving = app.bus.observe(.didBecomeActive) { print("serving") }

// snippet.hide
let ending = app.bus.observe(.didBecomeActive) { app.shutdown() }
// snippet.show
await app.runAndExit()
