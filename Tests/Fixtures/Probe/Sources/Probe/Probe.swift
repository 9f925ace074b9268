import EventBus
import HotPaths
import LaunchLoader
import Theming

@main
private enum Probe {
  static func main() async throws {
    let bus = EventBus()
    notify(on: bus)
    try await launch(on: bus)
    try switchThemes(on: bus)
  }

  private static func notify(on bus: EventBus) {
    let token = bus.observe(.numberDidChange) { print("got", $0) }
    precondition(post(on: bus, times: 2) == 2)
    token.cancel()
    precondition(ping(on: bus, times: 2) == 0)
    precondition(send(on: Signal(), times: 2) == 0)
  }

  private static func launch(on bus: EventBus) async throws {
    let loader = LaunchLoader()
    loader.register("probe") { _ in print("launched") }
    let attachment = loader.attach(to: bus)
    bus.post(.didFinishLaunching, LaunchOptions())
    let report = try await loader.launch()
    precondition(report.entries.count == 1)
    attachment.cancel()
  }

  @MainActor
  private static func switchThemes(on bus: EventBus) throws {
    let manager = ThemeManager(Theme("Day", appearance: .dark), bus: bus)
    try manager.use(Theme("Night", appearance: .dark))
    print(manager.theme.name)
  }
}
