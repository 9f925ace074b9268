import EventBus
import ObservationBridge
import SwiftUI
import Theming

nonisolated extension ThemeKeys {
  static let headline = ThemeKey("color.headline", default: RGBA(0x1E1E1E))
  static let page = ThemeKey("color.page", default: RGBA(0xFFFFFF))
}

extension ThemeManager {
  /// The manager of this app, which has a theme for each appearance.
  static let notes = ThemeManager(
    light: Theme("Day", appearance: .light),
    dark: Theme("Night", appearance: .dark) {
      $0[.headline] = RGBA(0xE6E6E6)
      $0[.page] = RGBA(0x141414)
    }
  )
}

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

struct Headline: View {
  @Environment(ObservableTheme.self) private var theme
  let text: String

  var body: some View {
    Text(text)
      .foregroundStyle(theme[.headline].color)
      .background(theme[.page].color)
  }
}

/// The root view of a window, which reports the appearance of the system.
struct Page: View {
  @Environment(\.colorScheme) private var scheme

  var body: some View {
    Headline(text: "Notes")
      .onChange(of: scheme, initial: true) { _, scheme in
        ThemeManager.notes.reportSystemAppearance(scheme == .dark ? .dark : .light)
      }
  }
}

/// Add `@main`.
struct Notes: App {
  @State private var theme = ObservableTheme(.notes)

  var body: some Scene {
    WindowGroup { Page().environment(theme) }
  }
}

struct AppearancePicker: View {
  @Environment(ObservableTheme.self) private var theme

  var body: some View {
    VStack {
      Text("Theme: \(theme.themeName)")
      Button("Dark") { theme.manager.appearancePreference = .dark }
      Button("As the system") { theme.manager.appearancePreference = .system }
    }
  }
}

extension ThemeManager {
  static let sidebar =
    (try? notes.scope { $0[.page] = RGBA(0xC8DCF0) }) ?? notes
}

struct Sidebar: View {
  @State private var theme = ObservableTheme(.sidebar)

  var body: some View {
    Headline(text: "Folders").environment(theme)
  }
}

extension Theme {
  static let sepia = Theme("Sepia", appearance: .light) {
    $0[.page] = RGBA(0xF4ECD8)
  }
}

struct HeadlinePreviews: PreviewProvider {
  static var previews: some View {
    Headline(text: "Notes").environment(ObservableTheme(ThemeManager(.sepia)))
  }
}

@MainActor
final class Folder {
  @Observed var count = 0
  /// The count, for views.
  private(set) lazy var observableCount = ObservableMirror(of: $count)
}

struct CountLabel: View {
  let folder: Folder

  var body: some View {
    Text("\(folder.observableCount.value) notes")
  }
}
