import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Rules with a transform, and optional properties")
struct TransformTests {
  /// A color of a toolkit, which cannot be compared.
  private class Paint {
    let hex: String

    init(_ hex: String) { self.hex = hex }
  }

  private final class Gloss: Paint {}

  /// A view with the properties of a toolkit.
  @MainActor
  private final class Panel {
    struct Layer { var width = 0.0 }

    let log = Log<String>()
    var background: Paint? { didSet { log.append("background \(background?.hex ?? "nil")") } }
    var tint = Paint("none") { didSet { log.append("tint \(tint.hex)") } }
    var accent: RGBA?
    var layer = Layer()
    var title: String?

    @Themed var themeMap: ThemeMap<Panel>?

    init(_ manager: ThemeManager) { _themeMap = Themed(manager) }
  }

  @Test("A transform may return a value, an optional, nil, or an object of a subclass")
  func optionals() {
    let manager = makeManager()
    let panel = Panel(manager)
    func set(_ rule: ThemeMap<Panel>.Rule) { panel.themeMap = [rule] }
    func paint(_ color: RGBA) -> Paint { Paint("function") }
    set(.set(\.background, .accent) { Paint($0.hex) })
    set(.set(\.background, .accent) { _ in nil })
    set(.set(\.background, .accent) { $0 == .red ? nil : Paint("optional") })
    set(.set(\.background, .accent) { _ in Gloss("gloss") })
    set(.set(\.background, .accent, paint))
    set(.set(\.background, .guest) { $0.map { _ in Paint("guest") } })
    set(.set(\.tint, .accent) { _ in Gloss("gloss") })
    #expect(
      panel.log.entries == [
        "background #808080", "background nil", "background optional", "background gloss",
        "background function", "background nil", "tint gloss",
      ]
    )
  }

  @Test("A transform may change the type, keep it, or be a key path or an initializer")
  func types() throws {
    let manager = makeManager()
    let panel = Panel(manager)
    panel.themeMap = [
      .set(\.layer.width, .radius, Double.init), .set(\.title, .accent, \.hex),
      .set(\.accent, .brand) { $0.laid(over: .blue) },
    ]
    #expect(panel.layer.width == 4 && panel.title == "#808080" && panel.accent == .gray)
    panel.themeMap = [.set(\.layer.width, .radius) { Double($0) * 1.5 }]
    #expect(panel.layer.width == 6)
  }

  @Test("An optional property follows a key of its type without a transform")
  func optionalProperty() throws {
    let manager = makeManager()
    let panel = Panel(manager)
    panel.themeMap = [.set(\.accent, .accent), .set(\.title, .font)]
    #expect(panel.accent == .gray && panel.title == "Sans")
    try manager.edit { $0[.accent] = .red }
    #expect(panel.accent == .red && panel.title == "Sans")
    let later = Panel(manager)
    manager.follow(later, [.set(\.accent, .brand), .set(\.accent, .accent)])
    #expect(later.accent == .red)
  }

  @Test("A transform is called once each time its key changes, and for no other key")
  func calls() throws {
    let manager = makeManager()
    let panel = Panel(manager)
    let calls = Log<Int>()
    panel.themeMap = [
      .set(\.layer.width, .radius) { radius in
        MainActor.assertIsolated()
        calls.append(radius)
        return Double(radius)
      },
      .set(\.background, .accent) { Paint($0.hex) },
    ]
    #expect(calls.take() == [4])
    try manager.edit { $0[.accent] = .red }
    try manager.use(manager.theme)
    #expect(calls.take() == [])
    try manager.edit { $0[.radius] = 9 }
    #expect(calls.take() == [9])
    panel.themeMap = nil
    try manager.edit { $0[.radius] = 10 }
    #expect(calls.take() == [])
  }

  @Test("A transform reads other state at the time of its call")
  func otherState() throws {
    let manager = makeManager()
    let panel = Panel(manager)
    var scale = 1.0
    panel.themeMap = [.set(\.layer.width, .radius) { Double($0) * scale }]
    scale = 2
    #expect(panel.layer.width == 4)
    try manager.edit { $0[.radius] = 5 }
    #expect(panel.layer.width == 10)
    // During a switch, the manager already has the new theme.
    panel.themeMap = [
      .set(\.layer.width, .radius) { Double($0) * Double(manager.theme[.font].count) }
    ]
    try manager.edit { theme in
      theme[.radius] = 6
      theme[.font] = "Mono"
    }
    #expect(panel.layer.width == 24)
  }

  @Test("A switch made by a transform when the map is set leaves the new value")
  func switchWhileTheMapIsSet() throws {
    let manager = makeManager()
    let panel = Panel(manager)
    panel.themeMap = [
      .set(\.background, .accent) { color in
        if color == .gray {
          #expect(throws: Never.self) { try manager.edit { $0[.accent] = .red } }
        }
        return Paint(color.hex)
      },
      .set(\.layer.width, .radius) { Double($0) },
    ]
    // The nested switch has set the property; the former value does not follow it.
    #expect(panel.log.entries == ["background #ff0000"])
    #expect(panel.layer.width == 4)
  }

  @Test("A switch of another key made by a transform does not lose the transform's value")
  func switchOfAnotherKey() throws {
    let manager = makeManager()
    let panel = Panel(manager)
    panel.themeMap = [
      .set(\.background, .accent) { color in
        #expect(throws: Never.self) { try manager.edit { $0[.radius] += 1 } }
        return Paint(color.hex)
      },
      .set(\.layer.width, .radius) { Double($0) },
    ]
    #expect(panel.log.entries == ["background #808080"])
    #expect(panel.layer.width == 5)
  }

  @Test("The result of a transform that ends or pauses its subscription is not used")
  func endedByTheTransform() throws {
    let manager = makeManager()
    let panel = Panel(manager)
    panel.themeMap = [
      .set(\.background, .accent) { [unowned panel] color in
        if color == .red { panel.themeMap = nil }
        return Paint(color.hex)
      },
      .set(\.title, .accent, \.hex),
    ]
    try manager.edit { $0[.accent] = .red }
    #expect(panel.background?.hex == "#808080" && panel.title == "#808080")

    let follower = Panel(manager)
    var token: Token?
    var pause: Token?
    token = manager.follow(
      follower,
      [
        .set(\.background, .accent) { color in
          if color == .blue { pause = token?.pause() }
          return Paint(color.hex)
        }
      ]
    )
    try manager.edit { $0[.accent] = .blue }
    #expect(follower.background?.hex == "#ff0000")
    pause = nil
    try manager.edit { $0[.accent] = .gray }
    #expect(follower.background?.hex == "#808080")
    withExtendedLifetime(pause) {}
  }

  @Test("A transform that sets another map leaves that map's values")
  func anotherMapFromATransform() throws {
    let manager = makeManager()
    let panel = Panel(manager)
    panel.themeMap = [
      .set(\.background, .accent) { [unowned panel] color in
        if color == .red { panel.themeMap = [.set(\.background, .accent) { _ in Paint("other") }] }
        return Paint(color.hex)
      }
    ]
    try manager.edit { $0[.accent] = .red }
    #expect(panel.background?.hex == "other")
    #expect(manager.subscriberCount == 1)
  }

  @Test("A transform ends with the map, and its captures may use the manager in their deinit")
  func releasesCaptures() throws {
    let manager = makeManager()
    let panel = Panel(manager)
    let log = Log<Int>()
    func follow() -> ThemeMap<Panel> {
      let guest = Guest {
        MainActor.assumeIsolated {
          log.append(manager.subscriberCount)
          #expect(throws: Never.self) { try manager.edit { $0[.radius] += 1 } }
        }
      }
      return [
        .set(\.layer.width, .radius) { width in withExtendedLifetime(guest) { Double(width) } }
      ]
    }
    panel.themeMap = follow()
    #expect(log.take() == [])
    panel.themeMap = nil
    #expect(log.take() == [0])
    let token = manager.follow(panel, follow())
    token.cancel()
    #expect(log.take() == [0])
    manager.follow(Panel(manager), follow())
    #expect(manager.subscriberCount == 0)
    #expect(log.take() == [0])
    panel.themeMap = [.set(\.layer.width, .radius) { Double($0) }]
    panel.themeMap = follow()
    panel.themeMap = follow()
    #expect(log.take() == [1])
  }
}
