import EventBus
import LaunchLoader

struct Heartbeat: AppService {
  func run(_ context: AppServiceContext) async throws {
    context.markReady()
    try await context.waitUntilShutdown()
  }
}

/// A service on the main actor, which uses its own state.
@MainActor
final class Importer: AppService {
  let serviceName = "importer"
  private var count = 0

  func run(_ context: AppServiceContext) async throws {
    count += 1
    context.onShutdown { print("asked") }
    context.markReady()
    while !context.isShuttingDown {
      count += 1
      await Task.yield()
    }
  }
}

/// A delegate on the main actor: synchronous and asynchronous methods, which use its own state.
@MainActor
final class Delegate: AppHostDelegate {
  private var edges = 0
  private var isSaved = false

  func applicationWillFinishLaunching(_ app: AppHost, options: LaunchOptions) { edges += 1 }
  func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) { edges += 1 }
  func applicationDidBecomeActive(_ app: AppHost) { edges += 1 }
  func applicationWillResignActive(_ app: AppHost) { edges += 1 }
  func applicationDidEnterBackground(_ app: AppHost) { edges += 1 }
  func applicationWillEnterForeground(_ app: AppHost) { edges += 1 }
  func applicationWillTerminate(_ app: AppHost) async {
    await Task.yield()
    isSaved = true
  }
}

/// A delegate on no actor, and one that is an actor.
final class PlainDelegate: AppHostDelegate {
  func applicationDidBecomeActive(_ app: AppHost) { app.shutdown() }
  func applicationWillTerminate(_ app: AppHost) async { await Task.yield() }
}

actor Journal: AppHostDelegate {
  private var states: [AppState] = []
  func applicationDidBecomeActive(_ app: AppHost) { states.append(app.state) }
  func applicationWillTerminate(_ app: AppHost) async { states.append(app.state) }
}

/// Reports the phases of a window.
@MainActor
final class Scene {
  let app: AppHost
  private var polls = 0

  init(_ app: AppHost) { self.app = app }

  func sceneWillResignActive() { app.report(.inactive) }
  func sceneDidEnterBackground() { app.report(.background) }
  func sceneWillEnterForeground() { app.report(.inactive) }
  func sceneDidBecomeActive() { app.report(.active) }

  func poll() async {
    for await state in app.bus.events(.appStateDidChange) where state == .active { polls += 1 }
  }
}

@MainActor
func runAll() async throws -> Int32 {
  var configuration = AppHost.Configuration(
    stopTimeout: .seconds(8),
    cancelTimeout: .seconds(1)
  )
  configuration.signals[.user1] = .reload
  configuration.onMessage = { message in print(message) }
  let app = AppHost(delegate: Delegate(), configuration: configuration)
  try app.add(Importer())
  try app.add(Heartbeat(), options: AppServiceOptions(after: ["importer"], reportsReadiness: true))
  try app.add("inline") { context in try await context.waitUntilShutdown() }
  let group = AppServiceGroup("storage")
  try group.add(Importer())
  try app.add(group)
  app.delegate = PlainDelegate()
  app.delegate = Journal()
  app.bus.observe(.willTerminate, owner: app) { _, _ in await Task.yield() }
  let stopping = Task {
    for await _ in UnixSignal.stream(.user2) { app.shutdown(exitCode: 3) }
  }
  defer { stopping.cancel() }
  do {
    return try await app.run()
  } catch let error as AppHostError {
    print(error.errors, error.abandonedServices)
    try await app.waitUntil(state: .terminated)
    return 1
  }
}
