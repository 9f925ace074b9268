// The equivalents of a service group, an app delegate and a process lifecycle owner.

import EventBus
import LaunchLoader

struct Worker: AppService {
  func run(_ context: AppServiceContext) async throws {
    context.onShutdown { print("no more jobs") }
    context.markReady()
    while true {
      try await context.cancelOnShutdown { try await Task.sleep(for: .seconds(10)) }
      print("poll")
    }
  }
}

func serve() async throws -> Int32 {
  let app = AppHost()
  try app.add("database") { context in try await context.waitUntilShutdown() }
  try app.add(Worker(), options: AppServiceOptions(after: ["database"]))
  return try await app.run()
}

// snippet.hide
let interrupts = EventBus.default.observe(.didBecomeActive) { UnixSignal.inject(.terminate) }
let served = try await serve()
precondition(served == 0)
interrupts.cancel()
// snippet.show
final class Delegate: AppHostDelegate {
  func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) {
    print("launched")
  }
}

let app = AppHost(delegate: Delegate(), loader: LaunchLoader())
let launched = app.bus.observe(.didFinishLaunching) { options in print(options.arguments) }

// snippet.hide
let running = Task { try await app.run() }
let ending = Task {
  try await app.waitUntil(state: .active)
  app.shutdown()
}
// snippet.show
var polling: Task<Void, Never>?
for await state in app.bus.events(.appStateDidChange) {
  polling?.cancel()
  polling = state == .active ? Task { print("poll") } : nil
  if state == .stopping { break }
}

// snippet.hide
try await ending.value
let code = try await running.value
precondition(code == 0)
