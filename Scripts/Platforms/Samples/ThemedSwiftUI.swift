import EventBus
import LaunchLoader
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
  let program: AppHost
  @State private var theme = ThemeManager.shared.theme
  @Environment(\.colorScheme) private var scheme
  @Environment(\.scenePhase) private var phase

  var body: some View {
    Text("Profile")
      .foregroundStyle(theme[.title].color)
      .task {
        let switches = EventBus.default.events(.themeDidChange, from: ThemeManager.shared)
        theme = ThemeManager.shared.theme  // a switch before the stream began
        for await change in switches { theme = change.new }
      }
      .onChange(of: scheme, initial: true) { _, scheme in
        ThemeManager.shared.systemAppearance = scheme == .dark ? .dark : .light
      }
      .onChange(of: phase) { _, phase in
        switch phase {
        case .active: program.becomeActive()
        case .inactive: program.resignActive()
        case .background: program.enterBackground()
        @unknown default: break
        }
      }
  }
}
