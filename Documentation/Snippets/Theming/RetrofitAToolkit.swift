// Themes for the views of a toolkit that states no isolation.

import EventBus
import Theming

extension ThemeKeys {
  static let frame = ThemeKey("color.frame", default: RGBA(0x1E1E1E))
}

/// The base class of the toolkit, which calls views on the main thread, but does not say so.
class Widget {
  var frame = RGBA(0x000000)
  func keyPressed(_ key: Character) {}
}

final class Panel: Widget {
  @MainActor @Themed var themeMap: ThemeMap<Panel>?

  override func keyPressed(_ key: Character) {
    MainActor.assumeIsolated {
      do {
        try ThemeManager.shared.edit { $0[.frame] = RGBA(0xC8C8C8) }
      } catch {
        print(error)
      }
    }
  }
}

@MainActor func makePanel() -> Panel {
  let panel = Panel()
  panel.themeMap = [.set(\.frame, .frame)]
  return panel
}

extension Themeable where Self: Widget {
  /// Runs a closure on the main actor with this view; traps on another thread.
  func onMainActor(_ body: @MainActor (Self) -> Void) {
    nonisolated(unsafe) let view = self  // Reason: the closure runs here, before this returns.
    MainActor.assumeIsolated { body(view) }
  }
}

final class Badge: Widget, Themeable {
  let themeSlot = ThemeSlot()

  override init() {
    super.init()
    onMainActor { badge in badge.themeMap = [.set(\.frame, .frame)] }
  }
}

/// A copy of the theme in use, for any thread.
final class CurrentTheme: Sendable {
  private let copy: SharedObserved<Theme>
  var theme: Theme { copy.value }

  @MainActor init(of manager: ThemeManager) {
    copy = SharedObserved(manager.theme)
    EventBus.default.observe(.themeDidChange, owner: self, from: manager) { current, change in
      current.copy.value = change.new
    }
  }
}

let current = CurrentTheme(of: .shared)
let panel = makePanel()
panel.keyPressed("n")
print(panel.frame == current.theme[.frame])  // true, even on another thread
// snippet.hide
precondition(panel.frame.hex == "#c8c8c8" && Badge().frame == panel.frame)
let elsewhere = await Task.detached { current.theme[.frame] }.value
precondition(elsewhere == panel.frame)
