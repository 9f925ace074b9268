// A module whose default isolation is the main actor: names, owners, delegates, services, launch work, module
// selectors.

import EventBus
import LaunchLoader

nonisolated extension EventNames {
  static let didImport = EventName<Int>("app.didImport")
}

nonisolated extension LaunchKeys {
  static let archive = LaunchKey<Archive>("archive")
}

@MainActor
final class Importer: AppService {
  private var count = 0

  func run(_ context: AppServiceContext) async throws {
    context.markReady()
    count += 1
    EventBus.default.post(.didImport, count)
    try await context.waitUntilShutdown()
  }
}

@MainActor
final class Badge: LaunchWorker {
  private var text = ""

  nonisolated init() {}

  func launch(_ options: LaunchOptions) async throws { text = "\(options.arguments)" }
}

@MainActor
final class Desk: AppHostDelegate {
  private var imported = 0

  func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) {
    app.bus.observe(.didImport, owner: self) { desk, count in desk.imported = count }
  }

  func applicationWillTerminate(_ app: AppHost) async { await save() }

  private func save() async { print("saved after \(imported) imports") }
}

@MainActor
final class Screen: LifetimeOwner {
  let lifetime = Lifetime()
  private(set) var imported = 0

  init(_ bus: EventBus) {
    bus.observe(.didImport, owner: self) { screen, count in screen.imported = count }
  }
}

@MainActor
final class Window {
  @WeakObserved var screen: Screen?
}

@MainActor
final class Archive {
  private(set) var entries: [Int] = []
  func add(_ entry: Int) { entries.append(entry) }
}

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = { register() }

private nonisolated func register() {
  LaunchLoader.register(.archive) { @MainActor options in Archive() }
}

let app = AppHost(delegate: Desk())
app.loader.register(Badge.self)
try app.add(Importer())

try app.add("archive") { @MainActor context in
  let archive = try await context.value(of: .archive)
  context.markReady()
  for await count in app.bus.events(.didImport, until: context.lifetime) { archive.add(count) }
}

struct Token { let text: String }  // of a parser

let word = Token(text: "import")
let token: EventBus::Token = app.bus.observe(.didImport) { count in print(word.text, count) }

// snippet.hide
let window = Window()
let screen = Screen(app.bus)
window.screen = screen
let ending = app.bus.observe(.didBecomeActive) { app.shutdown() }
let code = try await app.run()
precondition(code == 0)
precondition(window.screen === screen && screen.imported == 1)
withExtendedLifetime((token, ending, screen)) {}
