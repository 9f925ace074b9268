import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("follow")
struct FollowTests {
  /// A class that knows nothing of themes.
  private final class Box {
    var width = 0
  }

  @Test("Following applies the theme in use and every later switch")
  func follows() throws {
    let manager = makeManager()
    let box = Box()
    manager.follow(box, [.set(\.width, .radius)])
    #expect(box.width == 4)
    #expect(manager.subscriberCount == 1)
    try manager.use(rounded(9))
    #expect(box.width == 9)
  }

  @Test("Following twice makes two registrations")
  func followsTwice() {
    let manager = makeManager()
    let box = Box()
    let first = manager.follow(box, [.set(\.width, .radius)])
    manager.follow(box, [.set(\.width, .radius)])
    #expect(manager.subscriberCount == 2)
    first.cancel()
    #expect(manager.subscriberCount == 1)
    withExtendedLifetime(box) {}
  }

  @Test("A lifetime that keeps the registration of a dead object releases it")
  func attachedTokenOfTheDead() {
    let manager = makeManager()
    let lifetime = Lifetime()
    var box: Box? = Box()
    weak let registration = box.map {
      manager.follow($0, [.set(\.width, .radius)]).attach(to: lifetime).registration
    }
    #expect(registration != nil)
    box = nil
    #expect(manager.subscriberCount == 0)
    #expect(registration == nil)
    withExtendedLifetime(lifetime) {}
  }

  /// Two properties of a view, one of them a part of the other.
  private final class Panel {
    struct Style: Hashable, Sendable {
      var width = 0
      var height = 0
    }
    static let key = ThemeKey("panel.style", default: Style(width: 1, height: 1))
    var style = Style()
  }

  @Test("A property and its part are two: a new view gets both, a switch sets the changed one")
  func wholeAndPart() throws {
    let manager = makeManager()
    let (before, after) = (Panel(), Panel())
    let map: ThemeMap<Panel> = [.set(\.style, Panel.key), .set(\.style.width, .radius)]
    manager.follow(before, map)
    #expect(before.style == Panel.Style(width: 4, height: 1))
    try manager.edit { $0[.radius] = 7 }
    #expect(before.style == Panel.Style(width: 7, height: 1))
    try manager.edit { $0[Panel.key] = Panel.Style(width: 2, height: 2) }
    #expect(before.style == Panel.Style(width: 2, height: 2))
    manager.follow(after, map)
    #expect(after.style == Panel.Style(width: 7, height: 2))
  }

  @Test("A follower cancelled during a switch is no longer called")
  func cancelDuringASwitch() throws {
    let manager = makeManager()
    let label = Label(manager)
    let box = Box()
    label.themeMap = [.set(\.corner, .radius)]
    let token = manager.follow(box, [.set(\.width, .radius)])
    label.whenTouched = { _ in token.cancel() }
    try manager.use(rounded(9))
    #expect(box.width == 4)
    withExtendedLifetime(label) {}
  }
}
