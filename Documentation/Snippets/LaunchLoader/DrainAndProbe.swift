// A service that keeps a server running for a while after the request to stop, and the answer to a probe.

import LaunchLoader

/// Keeps the services that it names running for a while after the request to stop.
struct Drain: AppService {
  let delay: Duration

  func run(_ context: AppServiceContext) async throws {
    try await context.waitUntilShutdown()
    try await Task.sleep(for: delay)
  }
}

func makeApplication(drain: Duration = .seconds(5)) throws -> AppHost {
  let app = AppHost()
  try app.add("web", reportsReadiness: true) { context in
    context.markReady()  // when it listens
    try await context.waitUntilShutdown()
  }
  try app.add(Drain(delay: drain), options: AppServiceOptions(after: ["web"]))
  return app
}

/// The status with which a server answers the probe of its readiness.
func readiness(of app: AppHost) -> Int { app.isReady ? 200 : 503 }

// snippet.hide
let app = try makeApplication(drain: .milliseconds(100))
precondition(readiness(of: app) == 503)
let running = Task { try await app.run() }
try await app.waitUntil(state: .active)
precondition(readiness(of: app) == 200)
app.shutdown()
try await app.waitUntil(state: .stopping)
precondition(readiness(of: app) == 503)
precondition(app.services.contains { $0.name == "web" })
let code = try await running.value
precondition(code == 0)
