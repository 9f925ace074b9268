// Services: order, readiness, the request to stop, endings.

import EventBus
import LaunchLoader

struct Heartbeat: Service {
  let name = "heartbeat"

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
  try await context.cancelOnShutdown {
    while true {
      try await Task.sleep(for: .seconds(10))
      print("poll")
    }
  }
  print("save the position")
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
