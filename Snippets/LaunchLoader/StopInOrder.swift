// Services that name what they use stop before it.

import LaunchLoader

let app = AppHost()

try app.add("database", options: AppServiceOptions(waitsForReady: true)) { context in
  context.markReady()
  try await context.untilShutdown()
  print("3: the database closes")
}
try app.add("cache", options: AppServiceOptions(after: ["database"])) { context in
  try await context.untilShutdown()
  print("2: the cache is written")
}
try app.add("web", options: AppServiceOptions(after: ["database", "cache"])) { context in
  try await context.untilShutdown()
  print("1: the last responses are sent")
}
// snippet.hide
let running = Task { try await app.run() }
try await app.waitUntil(state: .active)
app.shutdown()
let code = try await running.value
precondition(code == 0)
