// A service that a feature adds from its own file.

import LaunchLoader

extension LaunchKeys {
  static let application = LaunchKey<AppHost>("application")
}

let heartbeat = LaunchLoader.register("heartbeat", needs: .application) { options, app in
  try app.add("heartbeat") { context in
    try await context.waitUntilShutdown()
  }
}

let app = AppHost()
LaunchLoader.register(.application) { _ in app }
// snippet.hide
let ending = Task {
  try await app.waitUntil(state: .active)
  precondition("\(heartbeat.outcome ?? .refused)" == "finished")
  app.shutdown()
}
// snippet.show
await app.runAndExit()
