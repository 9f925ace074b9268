// A daemon: two services, a reload and an orderly end.

import EventBus
import LaunchLoader

let app = AppHost()
let reloading = app.bus.observe(.appShouldReload) { print("SIGHUP: read the settings again") }

try app.add("database", reportsReadiness: true) { context in
  context.markReady()  // only now does the clock start
  try await context.waitUntilShutdown()
  print("the database closes last")
}

try app.add("clock", after: ["database"]) { context in
  every(.seconds(1)) { tick in print("tick \(tick.index)") }.attach(to: context.lifetime)
  try await context.waitUntilShutdown()  // SIGTERM, Control-C or app.shutdown()
}
// snippet.hide
let ending = app.bus.observe(.didBecomeActive) { app.shutdown() }
// snippet.show
await app.runAndExit()  // 0 after an orderly stop; otherwise 70 and a line with the cause
