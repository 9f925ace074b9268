import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("A switch during a switch")
struct ReentrantSwitchTests {
  @Test("A nested switch waits for the running one; every view sees both, in the same order")
  func queued() throws {
    let manager = makeManager()
    let log = Log<String>()
    let labels = ["a", "b"].map { Label(manager, name: $0, log: log) }
    for label in labels { label.themeMap = [.set(\.corner, .radius)] }
    let before = log.entries.count
    labels[0].whenTouched = { label in
      guard label.corner == 1 else { return }
      do { try manager.use(rounded(2)) } catch { Issue.record(error) }
      log.append("in use: \(manager.theme.name)")
    }
    try manager.use(rounded(1))
    #expect(
      log.entries.dropFirst(before) == [
        "a.corner 1", "in use: rounded 1", "b.corner 1", "a.corner 2", "b.corner 2",
      ]
    )
    #expect(manager.theme.name == "rounded 2")
    #expect(manager.version == 2)
    withExtendedLifetime(labels) {}
  }

  @Test("Of several nested switches the last one is applied")
  func lastWins() throws {
    let manager = makeManager()
    let labels = (0..<2).map { _ in Label(manager) }
    for label in labels {
      label.themeMap = [.set(\.corner, .radius)]
      label.whenTouched = { label in
        guard label.corner == 1 else { return }
        do {
          try manager.use(rounded(7))
          try manager.use(rounded(8))
        } catch { Issue.record(error) }
      }
    }
    try manager.use(rounded(1))
    #expect(manager.theme.name == "rounded 8")
    #expect(labels[1].touched.entries == ["label.corner 4", "label.corner 1", "label.corner 8"])
  }

  @Test("Each round is posted, and each old theme is the new one of the round before")
  func unbrokenChain() throws {
    let bus = EventBus()
    let manager = makeManager(rounded(0), bus: bus)
    let log = Log<String>()
    let first = bus.observe(.themeDidChange) { change in
      log.append("first \(change.old[.radius])→\(change.new[.radius])")
      if change.new[.radius] < 3 { try manager.use(rounded(change.new[.radius] + 1)) }
    }
    let second = bus.observe(.themeDidChange) { change in
      log.append("second \(change.old[.radius])→\(change.new[.radius])")
    }
    try manager.use(rounded(1))
    #expect(
      log.entries == [
        "first 0→1", "second 0→1", "first 1→2", "second 1→2", "first 2→3", "second 2→3",
      ]
    )
    withExtendedLifetime([first, second]) {}
  }

  @Test("A seventeenth round throws to its caller and to the first; the last theme applied stays")
  func switchLoop() throws {
    let manager = makeManager(rounded(0))
    let label = climbing(manager, to: .max)
    let error = try #require(throws: ThemeError.self) { try manager.use(rounded(1)) }
    #expect(error.code == .switchLoop)
    #expect(error.themes == (1...17).map { "rounded \($0)" })
    #expect(error.description.contains("rounded 16 → rounded 17"))
    #expect(error.description.contains("16 times"))
    #expect(manager.theme.name == "rounded 16")
    #expect(label.corner == 16)
    #expect(label.touched.entries.last == "refused: rounded 17")
    // After a refused loop the manager switches as before.
    label.whenTouched = nil
    try manager.use(rounded(50))
    #expect(label.corner == 50 && manager.version == 17)
  }

  @Test("A switch made by a setter reaches every rule of that view, the new theme last")
  func switchInsideASetter() throws {
    let manager = makeManager(rounded(1))
    let label = Label(manager)
    label.whenTouched = { label in
      guard label.corner == 1 else { return }
      let next = rounded(2).deriving("next") { $0[.font] = "Serif" }
      do { try manager.use(next) } catch { Issue.record(error) }
    }
    label.themeMap = [.set(\.corner, .radius), .set(\.font, .font), .set(\.color, .accent)]
    #expect(label.corner == 2)
    #expect(label.font == "Serif")
    #expect(label.color == .gray)
    #expect(!label.touched.entries.contains("label.font Sans"))
  }

  @Test("A view created during a switch gets the new theme, once")
  func bornDuringASwitch() throws {
    let manager = makeManager()
    let parent = Label(manager, name: "parent")
    let child = Label(manager, name: "child")
    parent.themeMap = [.set(\.corner, .radius)]
    parent.whenTouched = { _ in child.themeMap = [.set(\.corner, .radius)] }
    try manager.use(rounded(9))
    #expect(child.touched.entries == ["child.corner 9"])
    withExtendedLifetime(parent) {}
  }

  @Test("A view set again during a switch is updated once more, by its setter")
  func setAgainDuringASwitch() throws {
    let manager = makeManager()
    let first = Label(manager)
    let second = Label(manager, name: "second")
    first.themeMap = [.set(\.corner, .radius)]
    second.themeMap = [.set(\.corner, .radius)]
    first.whenTouched = { _ in second.themeMap = [.set(\.corner, .radius)] }
    let before = second.touched.entries.count
    try manager.use(rounded(9))
    #expect(second.touched.entries.dropFirst(before) == ["second.corner 9"])
    #expect(manager.subscriberCount == 2)
    withExtendedLifetime(first) {}
  }

  @Test("A property set to nil during a switch is no longer updated")
  func nilDuringASwitch() throws {
    let manager = makeManager()
    let first = Label(manager)
    let second = Label(manager)
    first.themeMap = [.set(\.corner, .radius)]
    second.themeMap = [.set(\.corner, .radius)]
    first.whenTouched = { _ in second.themeMap = nil }
    try manager.use(rounded(9))
    #expect(first.corner == 9)
    #expect(second.corner == 4)
  }

  @Test("A view that ends its registration in its setter stays ended")
  func nilInsideASetter() {
    let manager = makeManager()
    let label = Label(manager)
    label.whenTouched = { $0.themeMap = nil }
    label.themeMap = [.set(\.corner, .radius), .set(\.font, .font)]
    #expect(label.touched.entries == ["label.corner 4"])
    #expect(label.themeMap == nil)
    #expect(manager.subscriberCount == 0)
  }

  @Test("A view that dies during a switch is skipped")
  func deathDuringASwitch() throws {
    let manager = makeManager()
    let first = Label(manager)
    var second: Label? = Label(manager, name: "second")
    let log = try #require(second?.touched)
    first.themeMap = [.set(\.corner, .radius)]
    second?.themeMap = [.set(\.corner, .radius)]
    let before = log.entries.count
    first.whenTouched = { _ in second = nil }
    try manager.use(rounded(9))
    #expect(second == nil)
    #expect(log.entries.count == before)
    #expect(manager.subscriberCount == 1)
    withExtendedLifetime(first) {}
  }

  @Test("Superseded themes may use the manager in their deinit, whichever call superseded them")
  func supersededThemes() throws {
    let manager = makeManager()
    let scope = try manager.scope { _ in }
    let label = Label(manager)
    let released = Log<Int>()
    func theme(_ number: Int) -> Theme {
      rounded(number).deriving("theme \(number)") { theme in
        theme[.guest] = Guest {
          MainActor.assumeIsolated {
            released.append(number)
            _ = manager.subscriberCount
            #expect(throws: Never.self) {
              try manager.edit { $0[.font] += "\(number)" }
              try scope.edit { $0[.font] += "\(number)" }
            }
          }
        }
      }
    }
    label.themeMap = [.set(\.corner, .radius)]
    label.whenTouched = { label in
      guard label.corner == 1 else { return }
      #expect(throws: Never.self) {
        try manager.use(theme(2))
        // Supersedes a waiting request of the manager, and one of the scope.
        try manager.use(theme(3))
        try scope.use(theme(4))
        try scope.use(theme(5))
        try scope.use(Theme("scope", appearance: .dark))
        try manager.use(Theme("last", appearance: .dark) { $0[.radius] = 6 })
      }
    }
    try manager.use(theme(1))
    #expect(Set(released.entries) == [1, 2, 3, 4, 5])
    #expect(label.corner == 6)
    #expect(manager.theme.name == "last" && scope.theme.name == "scope")
  }

  @Test("A view whose deinit switches the theme is not touched by that switch")
  func switchFromDeinit() throws {
    final class Farewell {
      let manager: ThemeManager
      let log: Log<Int>
      var width = 0 {
        didSet { log.append(width) }
      }
      @MainActor @Themed var themeMap: ThemeMap<Farewell>?
      @MainActor init(_ manager: ThemeManager, _ log: Log<Int>) {
        self.manager = manager
        self.log = log
        _themeMap = Themed(manager)
        themeMap = [.set(\.width, .radius)]
      }
      deinit {
        let manager = manager
        MainActor.assumeIsolated {
          do { try manager.use(rounded(9)) } catch { Issue.record(error) }
        }
      }
    }
    let manager = makeManager()
    let log = Log<Int>()
    _ = Farewell(manager, log)
    #expect(manager.theme.name == "rounded 9")
    #expect(log.entries == [4])
    #expect(manager.subscriberCount == 0)
  }

  /// A label that asks for the next larger corner whenever it gets one.
  private func climbing(_ manager: ThemeManager, to top: Int) -> Label {
    let label = Label(manager, map: [.set(\.corner, .radius)])
    label.whenTouched = { label in
      guard label.corner < top else { return }
      do {
        try manager.use(rounded(label.corner + 1))
      } catch {
        #expect((error as? ThemeError)?.code == .switchLoop)
        label.touched.append("refused: rounded \(label.corner + 1)")
      }
    }
    return label
  }
}
