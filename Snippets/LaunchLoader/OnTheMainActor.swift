// A module whose default isolation is the main actor: names, delegates, services, workers, module selectors.

import EventBus
import LaunchLoader

nonisolated extension EventNames {
  static let didImport = EventName<Int>("app.didImport")
}

@MainActor
final class Importer: Service {
  let name = "importer"
  private var count = 0

  func run(_ context: ServiceContext) async throws {
    context.ready()
    count += 1
    EventBus.default.post(.didImport, count)
    try await context.untilShutdown()
  }
}

@MainActor
final class Badge: LaunchWorker {
  private var text = ""

  nonisolated init() {}

  func launch(_ options: LaunchOptions) async throws { text = "\(options.reason)" }
}

@MainActor
final class Desk: ApplicationDelegate {
  private var imported = 0

  func applicationDidFinishLaunching(_ app: Application, options: LaunchOptions) {
    app.bus.observe(.didImport, owner: self) { desk, count in desk.imported = count }
  }

  func applicationWillTerminate(_ app: Application) async { await save() }

  private func save() async { print("saved after \(imported) imports") }
}

let app = Application(delegate: Desk())
app.loader.register(Badge.self)
try app.add(Importer())

struct Token { let text: String }  // of a parser

let word = Token(text: "import")
let token: EventBus::Token = app.bus.observe(.didImport) { count in print(word.text, count) }

// snippet.hide
let ending = app.bus.observe(.didBecomeActive) { app.shutdown() }
let code = try await app.run()
precondition(code == 0)
withExtendedLifetime((token, ending)) {}
