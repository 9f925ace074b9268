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
  func launch(_ options: LaunchOptions) async throws { print(options.arguments) }
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
    print(try await token.waitUntilFinished(), try await loader.report().entries)
    attachment.cancel()
  }
}

nonisolated extension LaunchKeys {
  static let port = LaunchKey<Int>("client.port")
  static let host = LaunchKey<String>("client.host")
  static let window = LaunchKey<Window>("client.window")
}

@MainActor
final class Window {
  var title = ""
  func close() {}
}

/// Makes values and needs them, with the state of the main actor.
@MainActor
final class Connector {
  private var address = ""

  func launch() async throws -> String {
    let loader = LaunchLoader(onFailure: .rollback)
    loader.register(.port) { options in options.arguments.count }
    loader.register(.host, needs: .port, undo: { print($0) }) { _, port in
      await Task.yield()
      return "localhost:\(port)"
    }
    loader.register(.window, undo: { await $0.close() }) { @MainActor _ in Window() }
    loader.register("connect", needs: .host, .port) { _, host, port in
      self.address = "\(host)/\(port)"
    }
    loader.register("draw", needs: .window, .host, phase: .late) { _, window, host in
      await Task.yield()
      window.title = self.address + host
    }
    loader.register(needs: .port, .port) { _, a, b in print(a + b) }
    LaunchLoader.register(.port, needs: .host, .host, when: { _ in true }) { _, first, second in
      first.count + second.count
    }
    try await loader.launch()
    return try await loader.value(of: .window).title
  }
}
