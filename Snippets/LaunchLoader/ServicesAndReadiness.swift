// Services: order, readiness, the request to stop, endings.

import EventBus
import LaunchLoader

struct Heartbeat: Service {
  func run(_ context: ServiceContext) async throws {
    context.ready()
    try await context.untilShutdown()
  }
}

let app = Application()

// Later services wait for its ready().
try app.add("database", ServiceOptions(waitsForReady: true)) { context in
  // connect, then:
  context.ready()
  try await context.untilShutdown()
}

let options = ServiceOptions(
  after: ["database"],
  onThrow: .cancel,  // the others, too
  stopTimeout: .seconds(5)  // then it is cancelled
)
try app.add("web", options) { context in
  context.onShutdown { print("no more connections") }
  context.ready()
  try await context.untilShutdown()
}

let (requests, input) = AsyncStream<String>.makeStream()

try app.add("answers", ServiceOptions(after: ["database"])) { context in
  every(.seconds(60)) { _ in print("still there") }.attach(to: context.lifetime)
  context.ready()
  for await request in requests.until(context.lifetime) { print("answer \(request)") }
}

try app.add("poller", ServiceOptions(after: ["database"])) { context in
  context.ready()
  while true {
    // Throws when the request has ended the work; that is no failure.
    try await context.cancelOnShutdown { try await Task.sleep(for: .seconds(10)) }
    print("poll")
  }
}

try app.add("reader", ServiceOptions(after: ["database"])) { context in
  context.ready()
  let line = try await context.unlessShuttingDown {
    try await Task.sleep(for: .seconds(10))
    return "a line"
  }
  print(line ?? "nothing: save the position")
}

let storage = ServiceGroup("storage")
try storage.add(Heartbeat())
try app.add(storage)

try app.add(Heartbeat(), named: "first heartbeat")
try app.add(Heartbeat(), named: "second heartbeat", ServiceOptions(after: ["first heartbeat"]))

// snippet.hide
let running = Task { try await app.run() }
try await app.waitUntil(.active)
app.shutdown()
let code = try await running.value
precondition(code == 0)
