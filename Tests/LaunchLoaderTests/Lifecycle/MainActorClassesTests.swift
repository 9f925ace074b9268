import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Classes on the main actor", .timeLimit(.minutes(5)))
struct MainActorClassesTests {
  @MainActor
  final class Importer: AppService {
    let serviceName = "importer"
    private(set) var steps: [String] = []

    func run(_ context: AppServiceContext) async throws {
      steps.append("begins")
      context.markReady()
      try await context.waitUntilShutdown()
      MainActor.preconditionIsolated()
      steps.append("ends")
    }
  }

  @Test("A service on the main actor runs there and uses its own state")
  func service() async throws {
    let stage = Stage()
    let importer = Importer()
    try stage.app.add(importer, options: AppServiceOptions(reportsReadiness: true))
    let group = AppServiceGroup("group")
    let member = Importer()
    try group.add(member)
    try stage.app.add(group, options: AppServiceOptions(reportsReadiness: true))
    #expect(try await stage.runOnce() == 0)
    let steps = await (importer.steps, member.steps)
    #expect(steps.0 == ["begins", "ends"])
    #expect(steps.1 == ["begins", "ends"])
  }

  enum LogKey: LaunchOptionKey { typealias Value = Log<String> }

  @MainActor
  final class Window: LaunchWorker {
    private var title = ""

    nonisolated init() {}

    func launch(_ options: LaunchOptions) async throws {
      title = "window"
      await Task.yield()
      MainActor.preconditionIsolated()
      options[LogKey.self]?.append(title)
      self.log = options[LogKey.self]
    }

    private var log: Log<String>?

    func undo() {
      MainActor.preconditionIsolated()
      log?.append("undone: \(title)")
    }
  }

  @Test("Launch work on the main actor runs and is undone there")
  func worker() async throws {
    let loader = LaunchLoader(onFailure: .rollback)
    loader.register(Window.self)
    loader.register("fails", phase: .late) { _ in throw Failed(name: "late") }
    var options = LaunchOptions()
    let log = Log<String>()
    options[LogKey.self] = log
    let code = await launchErrorCode { [options] in try await loader.launch(options) }
    #expect(code != nil)
    #expect(log.entries == ["window", "undone: window"])
  }
}
