// A module whose default isolation is the main actor.

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
final class Screen: LifetimeOwner {
  let lifetime = Lifetime()
  private(set) var imported = 0

  init(_ bus: EventBus) {
    bus.observe(.didImport, owner: self) { screen, count in screen.imported = count }
  }
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

let app = AppHost()
try app.add(Importer(), options: AppServiceOptions(after: ["archive"]))

try app.add("archive", reportsReadiness: true) { @MainActor context in
  let archive = try await context.value(of: .archive)
  let imports = app.bus.events(.didImport, until: context.lifetime)
  context.markReady()
  for await count in imports { archive.add(count) }
}

struct Token { let text: String }  // of a parser

let word = Token(text: "import")
let token: EventBus::Token = app.bus.observe(.didImport) { count in print(word.text, count) }
// snippet.hide
let screen = Screen(app.bus)
let ending = app.bus.observe(.didBecomeActive) { app.shutdown() }
let code = try await app.run()
precondition(code == 0 && screen.imported == 1)
withExtendedLifetime((token, ending, screen)) {}
