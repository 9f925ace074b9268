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

  @MainActor
  private final class Screen: LifetimeOwner {
    let lifetime = Lifetime()
    var width = 0
  }

  @Test("Applies the theme in use, and every switch after")
  func follows() throws {
    let manager = makeManager()
    let box = Box()
    manager.follow(box, [.set(\.width, .radius)])
    #expect(box.width == 4)
    #expect(manager.subscriberCount == 1)
    try manager.use(rounded(9))
    #expect(box.width == 9)
  }

  @Test("Dropping the token does nothing; cancelling it ends, twice is harmless")
  func cancels() throws {
    let manager = makeManager()
    let box = Box()
    let token = manager.follow(box, [.set(\.width, .radius)])
    #expect(token.isActive)
    token.cancel()
    token.cancel()
    #expect(!token.isActive)
    #expect(manager.subscriberCount == 0)
    try manager.use(rounded(9))
    #expect(box.width == 4)
  }

  @Test("Following twice makes two subscriptions")
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

  @Test("The object is not kept")
  func doesNotKeep() {
    let manager = makeManager()
    var box: Box? = Box()
    weak let seen = box
    if let box { manager.follow(box, [.set(\.width, .radius)]) }
    box = nil
    #expect(seen == nil)
  }

  @Test("When the object dies it is not called any more, and not counted")
  func deathEnds() throws {
    let manager = makeManager()
    var box: Box? = Box()
    if let box { manager.follow(box, [.set(\.width, .radius)]) }
    box = nil
    try manager.use(rounded(9))
    #expect(manager.subscriberCount == 0)
  }

  @Test("The token of a dead object is inactive once the dead were looked for")
  func tokenOfTheDead() {
    let manager = makeManager()
    var box: Box? = Box()
    let token = box.map { manager.follow($0, [.set(\.width, .radius)]) }
    box = nil
    #expect(manager.subscriberCount == 0)
    #expect(token?.isActive == false)
  }

  @Test("A lifetime that was given the token of an object that died lets go of it")
  func attachedTokenOfTheDead() {
    let manager = makeManager()
    let lifetime = Lifetime()
    var box: Box? = Box()
    weak let token = box.map {
      manager.follow($0, [.set(\.width, .radius)]).attach(to: lifetime)
    }
    #expect(token != nil)
    box = nil
    #expect(manager.subscriberCount == 0)
    #expect(token == nil)
    withExtendedLifetime(lifetime) {}
  }

  @Test("An object with a lifetime ends its subscription the moment it dies")
  func lifetimeOwner() {
    let manager = makeManager()
    var screen: Screen? = Screen()
    let token = screen.map { manager.follow($0, [.set(\.width, .radius)]) }
    #expect(token?.isActive == true)
    screen = nil
    #expect(token?.isActive == false)
  }

  @Test("An object whose lifetime has ended is not followed, and not touched")
  func endedLifetime() {
    let manager = makeManager()
    let screen = Screen()
    screen.lifetime.end()
    let token = manager.follow(screen, [.set(\.width, .radius)])
    #expect(!token.isActive)
    #expect(screen.width == 0)
    #expect(manager.subscriberCount == 0)
  }

  @Test("The token may be given to somebody else's lifetime")
  func attached() {
    let manager = makeManager()
    let box = Box()
    let lifetime = Lifetime()
    manager.follow(box, [.set(\.width, .radius)]).attach(to: lifetime)
    lifetime.end()
    #expect(manager.subscriberCount == 0)
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

  @Test("A property and a part of it are two: a new view gets both, a switch sets what has changed")
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

  @Test("Cancelling while a switch is applied: not called any more")
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

  @Test("A cancelled token may outlive manager and object")
  func outlives() {
    let token: Token
    do {
      let manager = makeManager()
      let box = Box()
      token = manager.follow(box, [.set(\.width, .radius)])
    }
    token.cancel()
    #expect(!token.isActive)
  }
}
