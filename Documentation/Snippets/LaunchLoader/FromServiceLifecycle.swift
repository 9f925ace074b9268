// The equivalent of a service group of swift-service-lifecycle.

import LaunchLoader

struct Worker: AppService {
  func run(_ context: AppServiceContext) async throws {
    context.onShutdown { print("no more jobs") }
    while true {
      try await context.cancelOnShutdown { try await Task.sleep(for: .seconds(10)) }
      print("poll")
    }
  }
}

let app = AppHost()
try app.add("database") { context in try await context.waitUntilShutdown() }
try app.add(Worker(), options: AppServiceOptions(after: ["database"]))
// snippet.hide
let ending = Task {
  try await app.waitUntil(state: .active)
  UnixSignal.inject(.terminate)
}
// snippet.show
await app.runAndExit()
