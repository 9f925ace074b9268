// Services: order, readiness, endings.

import LaunchLoader

struct Heartbeat: Service {
  let name = "heartbeat"

  func run(_ context: ServiceContext) async throws {
    context.ready()
    try await context.untilShutdown()
  }
}

// snippet.hide
final class Server: Sendable {
  static func bind() async throws -> Server { Server() }
  func close() {}
  func serve(until context: ServiceContext) async throws { try await context.untilShutdown() }
}

let app = Application(loader: LaunchLoader())
// snippet.show
var database = ServiceOptions()
database.waitsForReady = true  // those behind it wait for its ready()
try app.add("database", database) { context in
  // connect, then:
  context.ready()
  try await context.untilShutdown()
}

var web = ServiceOptions()
web.after = ["database"]
web.stopTimeout = .seconds(5)  // then it is cancelled
web.onThrow = .cancel  // the others, too
try app.add("web", web) { context in
  let server = try await Server.bind()
  context.onShutdown { server.close() }
  try await server.serve(until: context)
}

let storage = ServiceGroup("storage")
try storage.add(Heartbeat())
try app.add(storage)
// snippet.hide
let running = Task { try await app.run() }
try await app.waitUntil(.active)
app.shutdown()
let code = try await running.value
precondition(code == 0)
