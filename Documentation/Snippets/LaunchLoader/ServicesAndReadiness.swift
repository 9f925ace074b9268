// Services: order, readiness, the request to stop, endings.

import EventBus
import LaunchLoader

struct Heartbeat: AppService {
  func run(_ context: AppServiceContext) async throws {
    context.markReady()
    try await context.waitUntilShutdown()
  }
}

let app = AppHost()

// Later services wait for its markReady().
try app.add("database", reportsReadiness: true) { context in
  // connect, then:
  context.markReady()
  try await context.waitUntilShutdown()
}

let options = AppServiceOptions(
  after: ["database"],
  onThrow: .cancel,  // the others, too
  stopTimeout: .seconds(5)  // then it is cancelled
)
try app.add("web", options: options) { context in
  context.onShutdown { print("no more connections") }
  context.markReady()
  try await context.waitUntilShutdown()
}

let (requests, input) = AsyncStream<String>.makeStream()

try app.add("answers", after: ["database"]) { context in
  every(.seconds(60)) { _ in print("still there") }.attach(to: context.lifetime)
  context.markReady()
  for await request in requests.until(context.lifetime) { print("answer \(request)") }
}

try app.add("poller", after: ["database"]) { context in
  context.markReady()
  while true {
    // Throws when the request has ended the work; that is no failure.
    try await context.cancelOnShutdown { try await Task.sleep(for: .seconds(10)) }
    print("poll")
  }
}

try app.add("reader", after: ["database"]) { context in
  context.markReady()
  let line = try await context.unlessShuttingDown {
    try await Task.sleep(for: .seconds(10))
    return "a line"
  }
  print(line ?? "nothing: save the position")
}

let storage = AppServiceGroup("storage")
try storage.add(Heartbeat())
try app.add(storage)

try app.add(Heartbeat(), named: "first heartbeat")
try app.add(
  Heartbeat(),
  named: "second heartbeat",
  options: AppServiceOptions(after: ["first heartbeat"])
)

// snippet.hide
let running = Task { try await app.run() }
try await app.waitUntil(state: .active)
app.shutdown()
let code = try await running.value
precondition(code == 0)
