// The samples of documentation comments about services, applications and signals.

import EventBus
import LaunchLoader

struct Cache: Service {
  func run(_ context: ServiceContext) async throws {
    every(.seconds(60)) { _ in print("remove what is old") }.attach(to: context.lifetime)
    try await context.untilShutdown()
  }
}

struct Reporter: Service {
  func run(_ context: ServiceContext) async throws {
    context.ready()
    while true {
      try await context.cancelOnShutdown { try await Task.sleep(for: .seconds(10)) }
      print("report")
    }
  }
}

struct Poller: Service {
  func run(_ context: ServiceContext) async throws {
    context.ready()
    while try await context.unlessShuttingDown({ try await Task.sleep(for: .seconds(10)) }) != nil {
      print("poll")
    }
    print("stopped: save the position")  // the task of the service is not cancelled
  }
}

struct Heartbeat: Service {
  func run(_ context: ServiceContext) async throws {
    context.ready()
    try await context.untilShutdown()
  }
}

let run = ServiceRun(Heartbeat())
try await run.untilReady()
run.shutdown()
try await run.wait()

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
  try app.add("web", ServiceOptions(after: ["database"])) { context in
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

// snippet.show
@MainActor
final class Desk: ApplicationDelegate {
  var title = "starting"

  func applicationDidBecomeActive(_ app: Application) { title = "ready" }
  func applicationWillTerminate(_ app: Application) async { await save() }

  private func save() async { title = "saved" }
}
// snippet.hide

func delegate() async throws {
  let app = Application(delegate: await Desk(), loader: LaunchLoader())
  app.shutdown()
  let code = try await app.run()
  precondition(code == 0)
}

@MainActor
func phases() {
  // snippet.show
  let app = Application()

  func sceneWillResignActive() { app.resignActive() }  // .inactive
  func sceneDidEnterBackground() { app.enterBackground() }  // .background
  func sceneWillEnterForeground() { app.enterForeground() }  // .inactive
  func sceneDidBecomeActive() { app.becomeActive() }  // .active
  // snippet.hide
  for report in [
    sceneWillResignActive, sceneDidEnterBackground, sceneWillEnterForeground, sceneDidBecomeActive,
  ] { report() }
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
try await delegate()
await phases()
await signals()
let reporting = ServiceRun(Reporter())
try await reporting.untilReady()
reporting.shutdown()
try await reporting.wait()
let polling = ServiceRun(Poller())
try await polling.untilReady()
polling.shutdown()
try await polling.wait()
let caching = ServiceRun(Cache())
caching.shutdown()
try await caching.wait()
