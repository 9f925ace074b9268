import EventBus
import TestSupport
import Testing
import Theming

extension ThemeKeys {
  static let accent = ThemeKey<RGBA>("color.accent", default: .gray)
  static let brand = ThemeKey<RGBA>("color.brand", default: .gray)
  static let radius = ThemeKey<Int>("corner.radius", default: 4)
  static let font = ThemeKey<String>("font.name", default: "Sans")
  static let guest = ThemeKey<Guest?>("guest", default: nil)
}

extension RGBA {
  static let gray = RGBA(red: 128, green: 128, blue: 128)
  static let red = RGBA(red: 255, green: 0, blue: 0)
  static let blue = RGBA(red: 0, green: 0, blue: 255)
}

/// A value that runs a closure in its deinit.
final class Guest: Sendable, Equatable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }

  static func == (left: Guest, right: Guest) -> Bool { left === right }
}

/// A view that logs the values it receives.
@MainActor
final class Label {
  let name: String
  let touched: Log<String>
  /// Called after each touch.
  var whenTouched: ((Label) -> Void)?

  var color = RGBA(red: 0, green: 0, blue: 0) {
    didSet { note("color \(color)") }
  }
  var corner = 0 {
    didSet { note("corner \(corner)") }
  }
  var font = "" {
    didSet { note("font \(font)") }
  }

  @Themed var themeMap: ThemeMap<Label>?

  init(
    _ manager: ThemeManager,
    name: String = "label",
    log: Log<String> = Log(),
    map: ThemeMap<Label>? = nil
  ) {
    self.name = name
    touched = log
    _themeMap = Themed(manager)
    if let map { themeMap = map }
  }

  private func note(_ what: String) {
    touched.append("\(name).\(what)")
    whenTouched?(self)
  }
}

@MainActor
extension ThemeMap<Label> {
  /// Every property of a label.
  static var full: ThemeMap<Label> {
    [.set(\.color, .accent), .set(\.corner, .radius), .set(\.font, .font)]
  }
}

/// A manager with its own bus, which isolates the tests from each other.
@MainActor
func makeManager(_ theme: Theme = Theme("first", appearance: .dark), bus: EventBus = EventBus())
  -> ThemeManager
{
  ThemeManager(theme, bus: bus)
}

/// A theme with a radius, named after it.
func rounded(_ radius: Int) -> Theme {
  Theme("rounded \(radius)", appearance: .dark) { $0[.radius] = radius }
}

/// A scope that runs a closure in its deinit.
@MainActor
func scope(
  of manager: ThemeManager,
  whenGone body: @escaping @MainActor () -> Void
) throws -> ThemeManager {
  try manager.scope { theme in
    theme[.guest] = Guest { MainActor.assumeIsolated { body() } }
  }
}

/// A label that runs a closure the first time it is touched by a switch.
@MainActor
func duringSwitch(of manager: ThemeManager, _ body: @escaping () throws -> Void) -> Label {
  let label = Label(manager, map: .full)
  label.whenTouched = { label in
    label.whenTouched = nil
    #expect(throws: Never.self) { try body() }
  }
  return label
}
