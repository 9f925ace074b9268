// An application in one file: launch work, a service, an orderly end.

import EventBus
import LaunchLoader

let app = AppHost()

LaunchLoader.register("greeting") { options in print("hello from \(options.arguments[0])") }

try app.add("server") { context in
  context.onShutdown { print("no more connections") }
  context.markReady()
  try await context.waitUntilShutdown()
}

let token = app.bus.observe(.didBecomeActive) {
  print("serving")
  app.shutdown()  // or from a signal, a service, any thread
}

// After a failure, a line names the cause, and every service that is abandoned.
await app.runAndExit()
