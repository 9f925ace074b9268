import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Switches of many or distant keys")
struct ManyKeysTests {
  @MainActor
  final class View {
    var width = 0 { didSet { touches += 1 } }
    var height = 0 { didSet { touches += 1 } }
    var touches = 0

    @Themed var map: ThemeMap<View>?

    init(_ manager: ThemeManager) { _map = Themed(manager) }
  }

  @Test("However far apart keys were created, each property gets its own key's value")
  func farApart() throws {
    let first = ThemeKey("far.first", default: 0)
    let between = (0..<1_000).map { ThemeKey("far.between.\($0)", default: 0) }
    let last = ThemeKey("far.last", default: 0)
    let manager = makeManager()
    let (ends, middle) = (View(manager), View(manager))
    ends.map = [.set(\.width, first), .set(\.height, last)]
    middle.map = [.set(\.width, between[500]), .set(\.height, between[999])]
    try manager.edit {
      $0[first] = 1
      $0[last] = 2
    }
    #expect(ends.width == 1 && ends.height == 2)
    #expect(middle.touches == 2)
    try manager.edit { for (number, key) in between.enumerated() { $0[key] = number } }
    #expect(middle.width == 500 && middle.height == 999)
    #expect(ends.touches == 4)
    try manager.edit { $0[between[999]] = -1 }
    #expect(middle.width == 500 && middle.height == -1)
    #expect(middle.touches == 5 && ends.touches == 4)
  }
}
