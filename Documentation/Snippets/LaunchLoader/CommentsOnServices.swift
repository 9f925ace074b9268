// The samples of documentation comments about services, applications and signals.

import EventBus
import LaunchLoader

struct Cache: AppService {
  func run(_ context: AppServiceContext) async throws {
    every(.seconds(60)) { _ in print("remove what is old") }.attach(to: context.lifetime)
    try await context.waitUntilShutdown()
  }
}

struct Reporter: AppService {
  func run(_ context: AppServiceContext) async throws {
    context.markReady()
    while true {
      try await context.cancelOnShutdown { try await Task.sleep(for: .seconds(10)) }
      print("report")
    }
  }
}

struct Poller: AppService {
  func run(_ context: AppServiceContext) async throws {
    context.markReady()
    while try await context.unlessShuttingDown({ try await Task.sleep(for: .seconds(10)) }) != nil {
      print("poll")
    }
    print("stopped: save the position")  // the task of the service is not cancelled
  }
}

struct Heartbeat: AppService {
  func run(_ context: AppServiceContext) async throws {
    context.markReady()
    try await context.waitUntilShutdown()
  }
}

// snippet.hide
func endOfTheProgram() async {
  // snippet.show
  await AppHost().runAndExit()
  // snippet.hide
}

func flatServices() throws {
  // snippet.show
  let app = AppHost()
  try app.add("database", reportsReadiness: true) { context in
    context.markReady()
    try await context.waitUntilShutdown()
  }
  try app.add("web", after: ["database"], onReturn: .shutdown) { context in
    try await context.waitUntilShutdown()
  }
  // snippet.hide
  precondition(app.services.count == 2)
}

func application() throws {
  // snippet.show
  let app = AppHost()
  try app.add("server") { context in
    context.onShutdown { print("no more connections") }
    context.markReady()
    try await context.waitUntilShutdown()
  }
  // snippet.hide
  app.shutdown()
}

func context() throws {
  // snippet.show
  let app = AppHost()
  try app.add("web", after: ["database"]) { context in
    context.onShutdown { print("no more connections") }
    context.markReady()
    try await context.waitUntilShutdown()
  }
  // snippet.hide
  app.shutdown()
}

func status() {
  // snippet.show
  ServiceManager.notify("STATUS=serving 3 clients")
  // snippet.hide
}

func restarts() throws {
  // snippet.show
  let app = AppHost()
  let policy = RestartPolicy(pause: .seconds(1), atMost: .seconds(60), limit: nil)
  try app.add("feed", onThrow: .restart(policy)) { context in
    try await context.waitUntilShutdown()
  }
  // snippet.hide
  app.shutdown()
}

func readiness() throws {
  // snippet.show
  let app = AppHost()
  try app.add("feed", reportsReadiness: true) { context in
    context.markReady()
    context.markUnready()  // the connection is lost: app.isReady is false
    context.markReady()  // and here again
    try await context.waitUntilShutdown()
  }
  // snippet.hide
  app.shutdown()
}

func group() async throws {
  // snippet.show
  let storage = AppServiceGroup("storage")
  try storage.add("cache") { context in try await context.waitUntilShutdown() }

  let app = AppHost()
  try app.add(storage)

  let services = AppServiceGroup("test")
  try services.add("heartbeat", options: AppServiceOptions(reportsReadiness: true)) { context in
    context.markReady()
    try await context.waitUntilShutdown()
  }
  try services.start()
  try await services.waitUntilReady()
  services.shutdown()
  try await services.waitUntilStopped()
  // snippet.hide
  app.shutdown()
}

// snippet.show
@MainActor
final class Desk: AppHostDelegate {
  var title = "starting"

  func applicationDidBecomeActive(_ app: AppHost) { title = "ready" }
  func applicationWillTerminate(_ app: AppHost) async { await save() }

  private func save() async { title = "saved" }
}
// snippet.hide

func delegate() async throws {
  let app = AppHost(delegate: Desk(), loader: LaunchLoader())
  app.shutdown()
  let code = try await app.run()
  precondition(code == 0)
}

@MainActor
func phases() {
  // snippet.show
  let app = AppHost()

  func sceneWillResignActive() { app.report(.inactive) }
  func sceneDidEnterBackground() { app.report(.background) }
  func sceneWillEnterForeground() { app.report(.inactive) }
  func sceneDidBecomeActive() { app.report(.active) }
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
try flatServices()
try await group()
status()
try restarts()
try readiness()
try await delegate()
phases()
await signals()
let others = AppServiceGroup("others")
try others.add(Heartbeat())
try others.add(Reporter())
try others.add(Poller())
try others.add(Cache())
try others.start()
try await others.waitUntilReady()
others.shutdown()
try await others.waitUntilStopped()
