#if os(Linux) || os(macOS)
import TestSupport
import Testing
import Theming

extension AliasCycleTests {
  @MainActor
  @Test("Creating a manager with a cyclic theme traps with the cycle")
  func trapsAtBirth() async throws {
    let single = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { @MainActor in
      _ = makeManager(theme("a>b b>a"))
    }
    try #expect(saidCircle(#require(single)))
    let dark = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { @MainActor in
      _ = ThemeManager(light: Theme("light", appearance: .dark), dark: theme("a>b b>a"))
    }
    try #expect(saidCircle(#require(dark)))
    let light = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { @MainActor in
      _ = ThemeManager(light: theme("a>b b>a"), dark: Theme("dark", appearance: .dark))
    }
    try #expect(saidCircle(#require(light)))
  }

  private func saidCircle(_ result: ExitTest.Result) -> Bool {
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    return text.contains("ThemingTests/")
      && text.contains(
        "the theme \"t\", because its aliases form a cycle: cycle.a → cycle.b → cycle.a."
      )
  }
}
#endif
