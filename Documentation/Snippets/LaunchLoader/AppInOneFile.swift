// An application in one file: launch work, a service, an orderly end.

import EventBus
import LaunchLoader

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#else
#error("Unknown C library: add it here.")
#endif

let app = AppHost()

LaunchLoader.register("greeting") { options in print("hello from \(options.arguments[0])") }

try app.add("server") { context in
  context.onShutdown { print("no more connections") }
  context.markReady()
  try await context.untilShutdown()
}

let token = app.bus.observe(.didBecomeActive) {
  print("serving")
  app.shutdown()  // or from a signal, a service, any thread
}

do {
  exit(try await app.run())
} catch {
  print(error)  // names the cause, and every service that is stuck
  exit(1)
}
