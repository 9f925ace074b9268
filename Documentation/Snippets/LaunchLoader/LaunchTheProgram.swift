// Launch work, two services and an orderly stop.

import EventBus
import LaunchLoader

let app = AppHost()

LaunchLoader.register("greeting") { options in print("hello") }  // once, before the services

try app.add("database", reportsReadiness: true) { context in
  context.markReady()  // only now do the services after this one start
  try await context.waitUntilShutdown()  // SIGTERM, Control-C or app.shutdown()
  print("the database closes last")
}

try app.add("clock", after: ["database"]) { context in
  every(.seconds(1)) { tick in print("tick \(tick.index)") }.attach(to: context.lifetime)
  try await context.waitUntilShutdown()
}

// snippet.hide
let ending = app.bus.observe(.didBecomeActive) { app.shutdown() }
// snippet.show
await app.runAndExit()  // 0 after an orderly stop; otherwise 70, and a line that says why
