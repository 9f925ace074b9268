import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Themeable classes with subclasses")
struct ThemeableClassTests {
  @MainActor
  private class Base: Themeable {
    let themeSlot: ThemeSlot
    var width = 0

    init(_ manager: ThemeManager) { themeSlot = ThemeSlot(manager) }
  }

  private final class Derived: Base {
    var height = 0
  }

  private let manager = makeManager()

  @Test("A map set through the subclass is read through the superclass")
  func readsThroughTheSuperclass() throws {
    let derived = Derived(manager)
    derived.themeMap = [.set(\.height, .radius)]
    let base: Base = derived
    let map = try #require(base.themeMap)
    base.themeMap = map
    #expect(manager.subscriberCount == 1)
    try manager.use(rounded(9))
    #expect(derived.height == 9)
    base.themeMap = nil
    #expect(derived.themeMap == nil)
    #expect(manager.subscriberCount == 0)
  }

  @Test("A map set through the superclass is read through the subclass")
  func readsThroughTheSubclass() throws {
    let derived = Derived(manager)
    (derived as Base).themeMap = [.set(\.width, .radius)]
    let map = try #require(derived.themeMap)
    derived.themeMap = map
    #expect(manager.subscriberCount == 1)
    try manager.use(rounded(9))
    #expect(derived.width == 9)
  }

  @Test("A map set through one type replaces that set through another")
  func replaces() throws {
    let derived = Derived(manager)
    derived.themeMap = [.set(\.height, .radius)]
    (derived as Base).themeMap = [.set(\.width, .radius)]
    try manager.use(rounded(9))
    #expect(derived.width == 9 && derived.height == 4)
    #expect(manager.subscriberCount == 1)
  }

  @Test("Rules for a subclass are skipped for an object of another class")
  func otherObject() throws {
    let (derived, base) = (Derived(manager), Base(manager))
    derived.themeMap = [.set(\.height, .radius), .set(\.width, .radius)]
    base.themeMap = (derived as Base).themeMap
    try manager.use(rounded(9))
    #expect(derived.height == 9 && derived.width == 9)
    #expect(base.width == 0)
  }
}
