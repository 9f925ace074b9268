import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Manager of a view")
struct ScopedMapTests {
  @Test("A map's own manager precedes the view's, and that the shared one")
  func scopedMap() throws {
    let (own, other) = (makeManager(rounded(1)), makeManager(rounded(2)))
    let label = Label(own, map: [.set(\.corner, .radius)])
    #expect(label.corner == 1)
    label.themeMap = ThemeMap<Label>([.set(\.corner, .radius)]).scoped(other)
    #expect(label.corner == 2)
    #expect(own.subscriberCount == 0 && other.subscriberCount == 1)
    try own.use(rounded(3))
    #expect(label.corner == 2)
    try other.use(rounded(4))
    #expect(label.corner == 4)
  }

  @Test("Scoping a map leaves the original unchanged, and the last scope is used")
  func copies() {
    let (own, first, last) = (
      makeManager(rounded(1)), makeManager(rounded(2)), makeManager(rounded(3))
    )
    let map: ThemeMap<Label> = [.set(\.corner, .radius)]
    let scoped = map.scoped(first).scoped(last)
    let labels = [Label(own), Label(own)]
    labels[0].themeMap = map
    labels[1].themeMap = scoped
    #expect(labels.map(\.corner) == [1, 3])
    #expect(first.subscriberCount == 0)
  }

  @Test("A map set while the former one is released wins, as in any property")
  func setByWhatGoesAway() throws {
    let (manager, other) = (makeManager(rounded(1)), makeManager(rounded(2)))
    let label = Label(manager)
    label.themeMap = ThemeMap<Label>([.set(\.corner, .radius)]).scoped(
      try scope(of: manager) { [weak label] in label?.themeMap = [.set(\.corner, .radius)] }
    )
    label.themeMap = ThemeMap<Label>([.set(\.corner, .radius)]).scoped(other)
    #expect(manager.subscriberCount == 1 && other.subscriberCount == 0)
    #expect(label.corner == 1)
    try manager.use(rounded(3))
    #expect(label.corner == 3)
  }

  @Test("An object that follows a manager with a scoped map follows the map's manager")
  func follow() throws {
    let (own, other) = (makeManager(rounded(1)), makeManager(rounded(2)))
    let label = Label(own)
    let token = own.follow(label, ThemeMap<Label>([.set(\.corner, .radius)]).scoped(other))
    #expect(label.corner == 2)
    #expect(own.subscriberCount == 0 && other.subscriberCount == 1)
    token.cancel()
    #expect(other.subscriberCount == 0)
  }
}

@MainActor
@Suite("Themeable")
struct ThemeableTests {
  /// The sample of the documentation, without the property wrapper.
  final class Badge: Themeable {
    let themeSlot: ThemeSlot
    var corner = 0 { didSet { touches += 1; whenTouched?(self) } }
    var touches = 0
    var whenTouched: ((Badge) -> Void)?

    init(_ manager: ThemeManager? = nil) { themeSlot = ThemeSlot(manager) }
  }

  /// Not of the main actor, and not final.
  class Plain: Themeable {
    let themeSlot = ThemeSlot()
    var corner = 0
  }

  @Test("Setting a map registers and applies, a switch updates, and nil ends")
  func setter() throws {
    let manager = makeManager(rounded(1))
    let badge = Badge(manager)
    #expect(badge.themeMap == nil)
    badge.themeMap = [.set(\.corner, .radius)]
    #expect(badge.corner == 1 && manager.subscriberCount == 1)
    #expect(badge.themeMap != nil)
    try manager.use(rounded(2))
    #expect(badge.corner == 2 && badge.touches == 2)
    badge.themeMap = nil
    #expect(manager.subscriberCount == 0)
    try manager.use(rounded(3))
    #expect(badge.corner == 2)
    #expect(badge.themeMap == nil)
  }

  @Test("A setter that sets its property again leaves one registration")
  func reentrant() {
    let manager = makeManager(rounded(1))
    let badge = Badge(manager)
    badge.whenTouched = { badge in
      badge.whenTouched = nil
      badge.themeMap = [.set(\.corner, .radius)]
    }
    badge.themeMap = [.set(\.corner, .radius)]
    #expect(manager.subscriberCount == 1)
    badge.whenTouched = { badge in badge.themeMap = nil }
    badge.themeMap = [.set(\.corner, .radius)]
    #expect(manager.subscriberCount == 0 && badge.themeMap == nil)
  }

  @Test("A map set in a slot while the former one is released wins, as in any property")
  func setByWhatGoesAway() throws {
    let (manager, other) = (makeManager(rounded(1)), makeManager(rounded(2)))
    let badge = Badge(manager)
    badge.themeMap = ThemeMap<Badge>([.set(\.corner, .radius)]).scoped(
      try scope(of: manager) { [weak badge] in badge?.themeMap = [.set(\.corner, .radius)] }
    )
    badge.themeMap = ThemeMap<Badge>([.set(\.corner, .radius)]).scoped(other)
    #expect(manager.subscriberCount == 1 && other.subscriberCount == 0)
    #expect(badge.touches == 3 && badge.corner == 1)
    try manager.use(rounded(3))
    #expect(badge.touches == 4 && badge.corner == 3)
  }

  @Test("A map's own manager precedes the slot's; without either the shared one is used")
  func managers() {
    let (own, other) = (makeManager(rounded(1)), makeManager(rounded(2)))
    let badge = Badge(own)
    badge.themeMap = ThemeMap<Badge>([.set(\.corner, .radius)]).scoped(other)
    #expect(badge.corner == 2 && own.subscriberCount == 0)
    let plain = Plain()
    let before = ThemeManager.shared.subscriberCount
    plain.themeMap = [.set(\.corner, .radius)]
    #expect(ThemeManager.shared.subscriberCount == before + 1)
    #expect(plain.corner == ThemeManager.shared.theme[.radius])
  }
}
