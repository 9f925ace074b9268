import EventBus
import SwiftUI
import Theming

nonisolated extension ThemeKeys {
  static let title = ThemeKey("color.title", default: RGBA(red: 30, green: 30, blue: 30))
}

extension RGBA {
  var color: Color {
    Color(red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255)
  }
}

struct Title: View {
  @State private var ink = ThemeManager.shared.theme[.title]

  var body: some View {
    Text("Profile")
      .foregroundStyle(ink.color)
      .task {
        let switches = EventBus.default.events(.themeDidChange, from: ThemeManager.shared)
        ink = ThemeManager.shared.theme[.title]  // a switch before the stream began
        for await change in switches { ink = change.new[.title] }
      }
  }
}

/// The root of a window, once.
struct Root: View {
  @Environment(\.colorScheme) private var scheme

  var body: some View {
    Title()
      .onChange(of: scheme, initial: true) { _, scheme in
        ThemeManager.shared.systemAppearance = scheme == .dark ? .dark : .light
      }
  }
}
