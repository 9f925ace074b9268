import EventBus
import LaunchLoader

#if canImport(Darwin)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
private let entry: LaunchEntry = { registerAtLoad() }
#else
@section(".init_array") @used
private let entry: LaunchEntry = { registerAtLoad() }
#endif

private func registerAtLoad() {
  LaunchLoader.register("analytics", after: ["logging"]) { options in print(options.arguments) }
  LaunchLoader.register(CrashReports.self)
}

struct CrashReports: LaunchWorker {
  static let id: LaunchID = "crash reports"
  static let dependencies: [LaunchID] = ["logging"]
  func launch(_ options: LaunchOptions) async throws { print(options.reason) }
}

enum Port: LaunchOptionKey { typealias Value = Int }

/// A worker on the main actor, which uses its own state.
@MainActor
final class MainWindow: LaunchWorker {
  private var title = ""
  private var isOpen = false

  nonisolated init() {}

  func launch(_ options: LaunchOptions) async throws {
    title = options.arguments.first ?? ""
    await Task.yield()
    isOpen = true
  }

  func undo() { isOpen = false }
}

/// Registers work that uses the state of the main actor.
@MainActor
final class Launcher {
  private var steps: [String] = []

  func launch() async throws {
    let loader = LaunchLoader(onFailure: .rollback, timeout: .seconds(10))
    loader.register("window") { _ in self.steps.append("window") }
    loader.register("data", phase: .late) { _ in
      await Task.yield()
      self.steps.append("data")
    }
    loader.register(MainWindow.self)
    let token = loader.register(when: { $0[Port.self] != nil }) { _ in }
    var options = LaunchOptions.current
    options[Port.self] = 80
    print(try loader.plan())
    let attachment = loader.attach(to: .default)
    let report = try await loader.launch(options)
    steps.append("\(report.total)")
    print(try await token.wait(), try await loader.report.slowest(3))
    attachment.cancel()
  }
}
