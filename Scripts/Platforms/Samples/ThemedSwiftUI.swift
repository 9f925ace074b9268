import EventBus
import SwiftUI
import Theming

extension RGBA {
  var color: Color {
    Color(
      red: Double(red) / 255,
      green: Double(green) / 255,
      blue: Double(blue) / 255,
      opacity: Double(alpha) / 255
    )
  }
}

struct Title: View {
  @State private var ink = ThemeManager.app.theme[.ink]

  var body: some View {
    Text("Profile")
      .foregroundStyle(ink.color)
      .task {
        let switches = EventBus.default.events(.themeDidChange, from: ThemeManager.app)
        ink = ThemeManager.app.theme[.ink]  // a switch before the stream began
        for await change in switches { ink = change.new[.ink] }
      }
  }
}

/// The root of a window, once.
struct Root: View {
  @Environment(\.colorScheme) private var scheme

  var body: some View {
    Title()
      .onChange(of: scheme, initial: true) { _, scheme in
        ThemeManager.app.systemAppearance = scheme == .dark ? .dark : .light
      }
  }
}
