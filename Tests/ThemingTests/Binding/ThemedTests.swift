import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("@Themed")
struct ThemedTests {
  @Test("The setter registers the view and applies the theme in use before it returns")
  func subscribesAndApplies() {
    let manager = makeManager(Theme("red", appearance: .dark) { $0[.accent] = .red })
    let label = Label(manager)
    #expect(manager.subscriberCount == 0)
    label.themeMap = [.set(\.color, .accent), .set(\.corner, .radius)]
    #expect(label.color == .red)
    #expect(label.corner == 4)
    #expect(manager.subscriberCount == 1)
    withExtendedLifetime(label) {}
  }

  @Test("The map can be read back, and is nil before it is set and after it is removed")
  func readsBack() {
    let label = Label(makeManager())
    #expect(label.themeMap == nil)
    label.themeMap = [.set(\.color, .accent)]
    #expect(label.themeMap != nil)
    label.themeMap = nil
    #expect(label.themeMap == nil)
  }

  @Test("Setting another map replaces the first one")
  func settingAnotherReplaces() throws {
    let manager = makeManager()
    let label = Label(manager, map: [.set(\.corner, .radius)])
    label.themeMap = [.set(\.font, .font)]
    let before = label.touched.entries.count
    try manager.use(rounded(9).deriving("Serif") { $0[.font] = "Serif" })
    #expect(label.touched.entries.dropFirst(before) == ["label.font Serif"])
    #expect(label.corner == 4)
  }

  @Test("A view that is set again comes last in registration order")
  func settingAgainMovesToTheEnd() throws {
    let manager = makeManager()
    let log = Log<String>()
    let labels = ["a", "b"].map { Label(manager, name: $0, log: log) }
    for label in labels { label.themeMap = [.set(\.corner, .radius)] }
    labels[0].themeMap = [.set(\.corner, .radius)]
    let before = log.entries.count
    try manager.use(rounded(9))
    #expect(log.entries.dropFirst(before) == ["b.corner 9", "a.corner 9"])
    withExtendedLifetime(labels) {}
  }

  @Test("An empty map registers for no keys")
  func emptyMap() throws {
    let manager = makeManager()
    let label = Label(manager, map: [])
    #expect(manager.subscriberCount == 1)
    try manager.use(rounded(9))
    #expect(label.touched.entries.isEmpty)
    label.themeMap = nil
    #expect(manager.subscriberCount == 0)
  }

  @Test("Of two rules for one property the later one wins at every switch, whichever key changed")
  func twoRulesAtASwitch() throws {
    let manager = makeManager()
    let (first, second) = (Label(manager), Label(manager))
    let inner = ThemeKey<Int>("corner.inner", default: 2)
    let map: ThemeMap<Label> = [.set(\.corner, .radius), .set(\.corner, inner)]
    first.themeMap = map
    try manager.use(rounded(9))
    second.themeMap = map
    #expect(first.corner == 2 && second.corner == 2)
    try manager.edit { $0[inner] = 7 }
    #expect(first.corner == 7 && second.corner == 7)
    #expect(first.touched.entries == ["label.corner 2", "label.corner 7"])
  }

  @Test("One key may set two properties of a view, each once per switch")
  func twoPropertiesForOneKey() throws {
    final class Box {
      var width = 0
      var height = 0
    }
    let manager = makeManager()
    let box = Box()
    manager.follow(box, [.set(\.width, .radius), .set(\.height, .radius)])
    try manager.use(rounded(9))
    #expect(box.width == 9)
    #expect(box.height == 9)
  }

  @Test("@Themed without a manager follows the shared one")
  func sharedManager() throws {
    let label = Plain()
    let before = ThemeManager.shared.subscriberCount
    label.themeMap = [.set(\.corner, .radius)]
    #expect(ThemeManager.shared.subscriberCount == before + 1)
    try ThemeManager.shared.use(rounded(7))
    #expect(label.corner == 7)
    try ThemeManager.shared.use(Theme("default", appearance: .dark))
  }

  @Test("@Themed(manager) follows that manager")
  func namedManager() throws {
    let label = Plain()
    try Plain.editor.use(rounded(13))
    label.editorMap = [.set(\.corner, .radius)]
    #expect(label.corner == 13)
    try Plain.editor.use(rounded(14))
    #expect(label.corner == 14)
  }

  @Test("Two themed properties of one view are independent")
  func twoProperties() throws {
    let label = Plain()
    label.themeMap = [.set(\.corner, .radius)]
    label.editorMap = [.set(\.width, .radius)]
    label.themeMap = nil
    try Plain.editor.use(rounded(20))
    #expect(label.corner == 4)
    #expect(label.width == 20)
  }

  @Test("A class outside the main actor writes @MainActor @Themed")
  func outsideTheMainActor() {
    final class Chart {
      var width = 0
      @MainActor @Themed var themeMap: ThemeMap<Chart>?
    }
    let chart = Chart()
    chart.themeMap = [.set(\.width, .radius)]
    #expect(chart.width == 4)
  }

  @Test("A view class may be subclassed, and the base class's map serves both")
  func derivedClass() {
    class Base {
      var width = 0
      @MainActor @Themed var themeMap: ThemeMap<Base>?
    }
    final class Derived: Base {
      var height = 0
      @MainActor @Themed var derivedMap: ThemeMap<Derived>?
    }
    let view = Derived()
    view.themeMap = [.set(\.width, .radius)]
    view.derivedMap = [.set(\.height, .radius), .set(\.width, .radius)]
    #expect(view.width == 4)
    #expect(view.height == 4)
  }
}

/// A view with the managers of its declaration.
@MainActor
final class Plain {
  static let editor = ThemeManager(rounded(12), bus: EventBus())
  var corner = 0
  var width = 0
  @Themed var themeMap: ThemeMap<Plain>?
  @Themed(Plain.editor) var editorMap: ThemeMap<Plain>?

  /// Sets the map on another thread: a key path gets past the compiler, as much does in language
  /// mode 5.
  static func useElsewhere() async {
    let view = Plain()
    nonisolated(unsafe) let property = \Plain.themeMap  // Reason: a constant.
    await onThreads(1) { _ in unsafe view[keyPath: property] = nil }  // Reason: as above.
  }
}
