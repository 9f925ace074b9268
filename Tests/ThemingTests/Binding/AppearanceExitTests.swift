#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing
import Theming

extension AppearanceTests {
  @Test("A pair's theme that a scope cannot take leaves the other in use, with a message")
  func unusable() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      await MainActor.run {
        let day = Theme("Day", appearance: .light) { $0[alias: .accent] = .brand }
        let manager = ThemeManager(
          light: day,
          dark: Theme("Night", appearance: .dark),
          bus: EventBus()
        )
        let scope = try? manager.scope { $0[alias: .brand] = .accent }
        manager.appearancePreference = .light
        precondition(manager.theme.name == "Night")
        withExtendedLifetime(scope) {}
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Theming: The aliases of the theme \"Day\" form a cycle: "))
    #expect(text.contains("color.accent → color.brand → color.accent"))
  }
}
#endif
