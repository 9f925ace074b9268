// The samples of documentation comments about services, applications and signals.

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
  var web = ServiceOptions()
  web.after = ["database"]
  try app.add("web", web) { context in
    context.onShutdown { print("no more connections") }
    context.ready()
    try await context.untilShutdown()
  }
  // snippet.hide
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
