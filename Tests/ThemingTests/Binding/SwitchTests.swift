import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Switches")
struct SwitchTests {
  @Test("Only properties whose keys changed are touched")
  func touchesOnlyWhatChanged() throws {
    let manager = makeManager(Theme("a", appearance: .dark) { $0[.accent] = .red })
    let label = Label(manager, map: .full)
    let before = label.touched.entries.count
    let next = Theme("b", appearance: .dark) {
      $0[.accent] = .red
      $0[.radius] = 9
      $0[.font] = "Sans"
    }
    try manager.use(next)
    #expect(label.touched.entries.dropFirst(before) == ["label.corner 9"])
  }

  @Test("Returning to a theme without the key applies its default")
  func goesBackToTheDefault() throws {
    let manager = makeManager(rounded(9))
    let label = Label(manager, map: [.set(\.corner, .radius)])
    try manager.use(Theme("plain", appearance: .dark))
    #expect(label.corner == 4)
  }

  @Test("Views update in registration order, and each view's rules in their order")
  func ordered() throws {
    let manager = makeManager()
    let log = Log<String>()
    let labels = ["a", "b", "c", "d"].map { Label(manager, name: $0, log: log) }
    labels[2].themeMap = [.set(\.corner, .radius)]
    labels[0].themeMap = [.set(\.font, .font)]
    labels[3].themeMap = [.set(\.font, .font), .set(\.corner, .radius)]
    labels[1].themeMap = [.set(\.corner, .radius), .set(\.font, .font)]
    let before = log.entries.count
    try manager.use(rounded(9).deriving("Serif") { $0[.font] = "Serif" })
    #expect(
      log.entries.dropFirst(before) == [
        "c.corner 9", "a.font Serif", "d.font Serif", "d.corner 9", "b.corner 9", "b.font Serif",
      ]
    )
    withExtendedLifetime(labels) {}
  }

  @Test("Every view receives the identical value")
  func sameValue() throws {
    final class Picture: Sendable, Equatable {
      static func == (left: Picture, right: Picture) -> Bool { left === right }
    }
    final class Frame {
      var picture: Picture?
      @MainActor var shown: Picture {
        get { picture ?? Picture() }
        set { picture = newValue }
      }
    }
    let key = ThemeKey<Picture>("picture", default: Picture())
    let manager = makeManager()
    let frames = (0..<3).map { _ in Frame() }
    for frame in frames { manager.follow(frame, [.set(\.shown, key)]) }
    let picture = Picture()
    try manager.use(Theme("t", appearance: .dark) { $0[key] = picture })
    #expect(frames.allSatisfy { $0.picture === picture })
  }

  @Test("themeDidChange is posted once, after the last view, with old, new and the changed keys")
  func posts() throws {
    let bus = EventBus()
    let manager = makeManager(Theme("Day", appearance: .dark), bus: bus)
    let log = Log<String>()
    let label = Label(manager, log: log, map: .full)
    let before = log.entries.count
    let changes = Log<ThemeDidChange>()
    let token = bus.observe(.themeDidChange) { change in
      log.append("posted")
      changes.append(change)
    }
    try manager.use(Theme("Night", appearance: .dark) { $0[.accent] = .blue })
    #expect(log.entries.dropFirst(before) == ["label.color #0000ff", "posted"])
    let change = try #require(changes.entries.first)
    #expect(changes.entries.count == 1)
    #expect(change.old.name == "Day")
    #expect(change.new.name == "Night")
    #expect(change.changedKeys == [ThemeKeys.accent])
    withExtendedLifetime((label, token)) {}
  }

  @Test("Using the theme in use updates no view and posts no changed keys")
  func usingTheSame() throws {
    let bus = EventBus()
    let manager = makeManager(rounded(9), bus: bus)
    let label = Label(manager, map: .full)
    let before = label.touched.entries.count
    let changes = Log<ThemeDidChange>()
    let token = bus.observe(.themeDidChange) { changes.append($0) }
    try manager.use(rounded(9))
    #expect(label.touched.entries.count == before)
    #expect(changes.entries.map(\.changedKeys) == [[]])
    #expect(manager.version == 1)
    withExtendedLifetime(token) {}
  }

  @Test("A change that nothing observes is not reported as unhandled")
  func unhandled() throws {
    let unhandled = Log<String>()
    let bus = EventBus(hooks: EventHooks(onUnhandled: { unhandled.append($0.name) }))
    try makeManager(bus: bus).use(rounded(2))
    #expect(unhandled.entries == [])
  }

  @Test("A switch that affects one view in a hundred updates those")
  func hundredOfMany() throws {
    let manager = makeManager()
    let log = Log<String>()
    let labels = (0..<3_000).map { Label(manager, name: "\($0)", log: log) }
    for (number, label) in labels.enumerated() {
      label.themeMap =
        number.isMultiple(of: 100) ? [.set(\.corner, .radius)] : [.set(\.font, .font)]
    }
    #expect(manager.subscriberCount == 3_000)
    let before = log.entries.count
    try manager.use(rounded(9))
    let expected = stride(from: 0, to: 3_000, by: 100).map { "\($0).corner 9" }
    #expect(Array(log.entries.dropFirst(before)) == expected)
    withExtendedLifetime(labels) {}
  }
}
