import EventBus
import LaunchLoader
import Theming

/// A program that knows none of its features: they registered themselves before it began.
@main
struct PreMain {
  @MainActor
  static func main() async throws {
    print("main begins")
    let bus = EventBus()
    let attachment = LaunchLoader.shared.attach(to: bus)
    bus.post(.didFinishLaunching, .current)
    let entries = try await LaunchLoader.shared.report().entries
    print("posted again, reached \(bus.post(.didFinishLaunching, LaunchOptions()))")
    // The order in which the files registered is the linker's.
    for entry in entries.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
      print("\(entry.id), registered in \(entry.site), \(entry.outcome)")
    }
    print("theme: \(ThemeManager(Theme("Day", appearance: .dark), bus: bus).theme.name)")
    withExtendedLifetime(attachment) {}
  }
}
