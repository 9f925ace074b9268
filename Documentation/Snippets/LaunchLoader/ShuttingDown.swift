// The end of a program, in order or by force.

import EventBus
import LaunchLoader

let configuration = AppHost.Configuration(
  stopTimeout: .seconds(8),  // for all services together: then they are cancelled
  cancelTimeout: .seconds(1)  // and then abandoned, and named
)
let app = AppHost(configuration: configuration)
let saving = app.bus.observe(.willTerminate) { print("services still run: save") }

// snippet.hide
try app.add("a") { context in try await context.waitUntilShutdown() }
let ending = app.bus.observe(.didBecomeActive) { app.shutdown() }
// snippet.show
do {
  let code = try await app.run()
  print("exit code \(code)")
} catch let error as AppHostError {
  print(error.errors[0])  // the cause
  print(error.abandonedServices)  // the services that were abandoned
}

struct WriteError: Error {}

func addWriter(to app: AppHost) throws {
  try app.add("writer", stopTimeout: .seconds(3)) { context in
    try await context.waitUntilShutdown()
    do {
      try await Task.sleep(for: .seconds(1))  // writes what is left
    } catch is CancellationError {
      throw WriteError()  // something was not written: run() throws
    }
  }
}

// snippet.hide
try addWriter(to: AppHost(bus: EventBus(), loader: LaunchLoader()))
