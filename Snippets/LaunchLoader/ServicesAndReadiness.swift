// Services: order, readiness, endings.

import LaunchLoader

struct Heartbeat: Service {
  let name = "heartbeat"

  func run(_ context: ServiceContext) async throws {
    context.ready()
    try await context.untilShutdown()
  }
}

let app = Application()

var database = ServiceOptions()
database.waitsForReady = true  // services behind it wait for its ready()
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
  context.onShutdown { print("no more connections") }
  context.ready()
  try await context.untilShutdown()
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
