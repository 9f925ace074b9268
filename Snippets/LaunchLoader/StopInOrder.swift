// Services that name what they use stop before it.

import LaunchLoader

let app = Application()

try app.add("database", ServiceOptions(waitsForReady: true)) { context in
  context.ready()
  try await context.untilShutdown()
  print("3: the database closes")
}
try app.add("cache", ServiceOptions(after: ["database"])) { context in
  try await context.untilShutdown()
  print("2: the cache is written")
}
try app.add("web", ServiceOptions(after: ["database", "cache"])) { context in
  try await context.untilShutdown()
  print("1: the last responses are sent")
}
// snippet.hide
let running = Task { try await app.run() }
try await app.waitUntil(.active)
app.shutdown()
let code = try await running.value
precondition(code == 0)
