import EventBus
import LaunchLoader

struct Heartbeat: Service {
  func run(_ context: ServiceContext) async throws {
    context.ready()
    try await context.untilShutdown()
  }
}

/// A service on the main actor, which uses its own state.
@MainActor
final class Importer: Service {
  let serviceName = "importer"
  private var count = 0

  func run(_ context: ServiceContext) async throws {
    count += 1
    context.onShutdown { print("asked") }
    context.ready()
    while !context.isShuttingDown {
      count += 1
      await Task.yield()
    }
  }
}

/// A delegate on the main actor: synchronous and asynchronous methods, which use its own state.
@MainActor
final class Delegate: ApplicationDelegate {
  private var edges = 0
  private var isSaved = false

  func applicationWillFinishLaunching(_ app: Application, options: LaunchOptions) { edges += 1 }
  func applicationDidFinishLaunching(_ app: Application, options: LaunchOptions) { edges += 1 }
  func applicationDidBecomeActive(_ app: Application) { edges += 1 }
  func applicationWillResignActive(_ app: Application) { edges += 1 }
  func applicationDidEnterBackground(_ app: Application) { edges += 1 }
  func applicationWillEnterForeground(_ app: Application) { edges += 1 }
  func applicationWillTerminate(_ app: Application) async {
    await Task.yield()
    isSaved = true
  }
}

/// A delegate on no actor, and one that is an actor.
final class PlainDelegate: ApplicationDelegate {
  func applicationDidBecomeActive(_ app: Application) { app.shutdown() }
  func applicationWillTerminate(_ app: Application) async { await Task.yield() }
}

actor Journal: ApplicationDelegate {
  private var states: [AppState] = []
  func applicationDidBecomeActive(_ app: Application) { states.append(app.state) }
  func applicationWillTerminate(_ app: Application) async { states.append(app.state) }
}

/// Reports the phases of a window.
@MainActor
final class Scene {
  let app: Application
  private var polls = 0

  init(_ app: Application) { self.app = app }

  func sceneWillResignActive() { app.resignActive() }
  func sceneDidEnterBackground() { app.enterBackground() }
  func sceneWillEnterForeground() { app.enterForeground() }
  func sceneDidBecomeActive() { app.becomeActive() }

  func poll() async { await app.whileAtLeast(.active) { await self.pollOnce() } }
  private func pollOnce() { polls += 1 }
}

@MainActor
func runAll() async throws -> Int32 {
  var configuration = Application.Configuration(
    stopTimeout: .seconds(8),
    cancelTimeout: .seconds(1)
  )
  configuration.signals[.user1] = .reload
  configuration.onMessage = { message in print(message) }
  let app = Application(delegate: Delegate(), configuration: configuration)
  try app.add(Importer())
  try app.add(Heartbeat(), ServiceOptions(after: ["importer"], waitsForReady: true))
  try app.add("inline") { context in try await context.untilShutdown() }
  let group = ServiceGroup("storage")
  try group.add(Importer())
  try app.add(group)
  app.replaceDelegate(PlainDelegate())
  app.replaceDelegate(Journal())
  app.bus.observe(.willTerminate, owner: app) { _, _ in await Task.yield() }
  let stopping = Task {
    for await _ in UnixSignal.stream(.user2) { app.shutdown(exitCode: 3) }
  }
  defer { stopping.cancel() }
  do {
    return try await app.run()
  } catch let error as ApplicationError {
    print(error.errors, error.stuckServices)
    try await app.waitUntil(.terminated)
    return 1
  }
}
