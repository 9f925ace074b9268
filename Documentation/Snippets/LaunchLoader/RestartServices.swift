// Services that start again: alone, as a group, and as others see it.

import EventBus
// snippet.hide
import EventBusTesting
// snippet.show
import LaunchLoader

/// A connection to a server, whose messages end with an error when it is lost.
protocol Connection: Sendable {
  func messages() async throws -> AsyncThrowingStream<String, any Error>
}

struct Feed: AppService {
  let connection: any Connection

  func run(_ context: AppServiceContext) async throws {
    let messages = try await connection.messages()
    context.markReady()
    for try await message in messages.until(context.lifetime) { print(message) }
  }
}

func addFeed(_ connection: any Connection, to app: AppHost) throws {
  let policy = RestartPolicy(pause: .seconds(1), atMost: .seconds(60), limit: nil)
  let options = AppServiceOptions(onThrow: .restart(policy), reportsReadiness: true)
  try app.add(Feed(connection: connection), named: "feed", options: options)
}

func addOrders(_ connection: any Connection, to app: AppHost) throws {
  let orders = AppServiceGroup("orders")
  try orders.add(
    Feed(connection: connection),
    named: "feed",
    options: AppServiceOptions(reportsReadiness: true)
  )
  try orders.add("totals", options: AppServiceOptions(after: ["feed"])) { context in
    try await context.waitUntilShutdown()
  }
  let options = AppServiceOptions(onThrow: .restart(RestartPolicy()), reportsReadiness: true)
  try app.add(orders, options: options)
}

func logRestarts(of app: AppHost) -> Token {
  app.bus.observe(.appServiceStateDidChange) { change in
    guard change.state == .pausing, let error = change.error else { return }
    print("\(change.service) has failed in attempt \(change.attempt): \(error)")
  }
}

// snippet.hide
struct Refused: Error {}

/// Refuses the first two attempts.
actor Server: Connection {
  private var count = 0

  func messages() throws -> AsyncThrowingStream<String, any Error> {
    count += 1
    if count < 3 { throw Refused() }
    return AsyncThrowingStream { continuation in continuation.yield("hello") }
  }
}

let clock = ManualClock()
let app = AppHost(loader: LaunchLoader(), configuration: AppHost.Configuration(clock: clock))
let log = logRestarts(of: app)
// The time passes as soon as a pause begins.
let passing = app.bus.observe(.appServiceStateDidChange) { change in
  if change.state == .pausing { clock.jump(by: .seconds(2)) }
}
try addFeed(Server(), to: app)
try addOrders(Server(), to: app)
let running = Task { try await app.run() }
try await app.waitUntil(state: .active)
precondition(app.isReady)
precondition(app.services.map(\.attempt) == [3, 3])
app.shutdown()
let code = try await running.value
precondition(code == 0)
