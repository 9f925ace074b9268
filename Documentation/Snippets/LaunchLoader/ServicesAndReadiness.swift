// Services: order, readiness, the request to stop, groups.

import EventBus
import LaunchLoader

let app = AppHost()

try app.add("database", reportsReadiness: true) { context in
  context.markReady()  // connected: the services after this one start
  try await context.waitUntilShutdown()
  print("3: the database closes")
}
try app.add("cache", after: ["database"]) { context in
  try await context.waitUntilShutdown()
  print("2: the cache is written")
}
try app.add("web", after: ["database", "cache"], stopTimeout: .seconds(5)) { context in
  context.onShutdown { print("1: no more connections") }
  try await context.waitUntilShutdown()
}

struct Heartbeat: AppService {
  func run(_ context: AppServiceContext) async throws {
    every(.seconds(60)) { _ in print("still there") }.attach(to: context.lifetime)
    try await context.waitUntilShutdown()
  }
}

try app.add(Heartbeat(), options: AppServiceOptions(after: ["database"]))

let (requests, input) = AsyncStream<String>.makeStream()

try app.add("answers", after: ["database"]) { context in
  for await request in requests.until(context.lifetime) { print("answer \(request)") }
}

try app.add("poller", after: ["database"]) { context in
  while true {
    // Throws at the request to stop, which ends the loop and is not a failure.
    try await context.cancelOnShutdown { try await Task.sleep(for: .seconds(10)) }
    print("poll")
  }
}

try app.add("reader", after: ["database"]) { context in
  let line = try await context.unlessShuttingDown {
    try await Task.sleep(for: .seconds(10))
    return "a line"
  }
  print(line ?? "asked to stop: save the position")
}

let storage = AppServiceGroup("storage")
try storage.add("index", options: AppServiceOptions(reportsReadiness: true)) { context in
  context.markReady()
  try await context.waitUntilShutdown()
}
try storage.add(Heartbeat(), options: AppServiceOptions(after: ["index"]))
try app.add(storage, options: AppServiceOptions(after: ["database"]))

// snippet.hide
let running = Task { try await app.run() }
try await app.waitUntil(state: .active)
app.shutdown()
let code = try await running.value
precondition(code == 0)
