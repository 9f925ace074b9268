// The samples of documentation comments about services, applications and signals.

import EventBus
import LaunchLoader

// snippet.hide
func application() throws {
  // snippet.show
  let app = Application()
  try app.add("server") { context in
    context.onShutdown { print("no more connections") }
    context.ready()
    try await context.untilShutdown()
  }
  // snippet.hide
  app.shutdown()
}

func context() throws {
  // snippet.show
  let app = Application()
  let (requests, input) = AsyncStream<String>.makeStream()
  try app.add("web") { context in
    context.onShutdown { print("no more connections") }
    context.ready()
    for await request in requests.until(context.lifetime) { print("answer \(request)") }
  }
  // snippet.hide
  input.finish()
  app.shutdown()
}

func group() throws {
  // snippet.show
  let storage = ServiceGroup("storage")
  try storage.add("cache") { context in try await context.untilShutdown() }

  let app = Application()
  try app.add(storage)
  // snippet.hide
  app.shutdown()
}

func signals() async {
  // snippet.show
  let reloads = UnixSignal.stream(.hangup)
  // snippet.hide
  UnixSignal.inject(.hangup)
  // snippet.show
  for await _ in reloads {
    print("reload the configuration")
    // snippet.hide
    break
    // snippet.show
  }
  // snippet.hide
}

try application()
try context()
try group()
await signals()
