import Testing
import Theming

@Suite("Theme")
struct ThemeTests {
  @Test("A new theme reads the default of every key")
  func readsDefaults() {
    let theme = Theme("empty", appearance: .dark)
    #expect(theme[.accent] == .gray)
    #expect(theme[.radius] == 4)
    #expect(theme[.font] == "Sans")
  }

  @Test("A theme is a value: a copy is independent")
  func isAValue() {
    let first = Theme("t", appearance: .dark) { $0[.radius] = 1 }
    var second = first
    second[.radius] = 2
    #expect(first[.radius] == 1)
  }

  @Test("The trailing closure fills the theme and may rename it")
  func trailingClosure() {
    let theme = Theme("t", appearance: .dark) {
      $0[.accent] = .blue
      $0.name = "renamed"
    }
    #expect(theme[.accent] == .blue)
    #expect(theme.name == "renamed")
  }

  @Test("An error thrown by the closure is rethrown")
  func throwsOn() {
    struct Refused: Error {}
    #expect(throws: Refused.self) { try Theme("t", appearance: .dark) { _ in throw Refused() } }
    #expect(throws: Refused.self) {
      try Theme("t", appearance: .dark).deriving("d") { _ in throw Refused() }
    }
  }

  @Test("A derived theme reads its own values over those of its base, to any depth")
  func derives() {
    let night = Theme("Night", appearance: .dark) {
      $0[.accent] = .blue
      $0[.radius] = 2
    }
    let ember = night.deriving("Ember") { $0[.accent] = .red }
    let round = ember.deriving("Round") { $0[.radius] = 8 }
    #expect(ember[.accent] == .red)
    #expect(ember[.radius] == 2)
    #expect(round[.accent] == .red)
    #expect(round[.radius] == 8)
    #expect(round[.font] == "Sans")
    #expect(night[.accent] == .blue)
  }

  @Test("A derived theme has its own name, and its base's appearance unless it has another")
  func derivedAppearance() {
    let day = Theme("Day", appearance: .light)
    #expect(day.deriving("d") { _ in }.name == "d")
    #expect(day.deriving("d") { _ in }.appearance == .light)
    #expect(day.deriving("d", appearance: .dark) { _ in }.appearance == .dark)
  }

  @Test("Removing a key in a derived theme shows the base's value again")
  func removesOwn() {
    let base = Theme("base", appearance: .dark) { $0[.radius] = 1 }
    var derived = base.deriving("derived") { $0[.radius] = 5 }
    derived.remove(ThemeKeys.radius)
    #expect(derived[.radius] == 1)
    derived.remove(ThemeKeys.radius)
    #expect(derived[.radius] == 1)
  }

  @Test("The changed keys are those that read another value, in either direction")
  func changes() {
    let old = Theme("old", appearance: .dark) {
      $0[.accent] = .red
      $0[.radius] = 1
    }
    let new = Theme("new", appearance: .dark) {
      $0[.accent] = .red
      $0[.font] = "Serif"
    }
    #expect(new.changes(from: old) == [ThemeKeys.radius, ThemeKeys.font])
    #expect(old.changes(from: new) == [ThemeKeys.radius, ThemeKeys.font])
    #expect(old.changes(from: old).isEmpty)
  }

  @Test("A key set to its default has not changed from an unset key")
  func defaultIsNoChange() {
    let explicit = Theme("explicit", appearance: .dark) { $0[.radius] = 4 }
    #expect(explicit.changes(from: Theme("empty", appearance: .dark)).isEmpty)
    #expect(Theme("empty", appearance: .dark).changes(from: explicit).isEmpty)
  }

  @Test("Changed keys are computed from all layers, not only from the last one")
  func changesThroughLayers() {
    let base = Theme("base", appearance: .dark) { $0[.radius] = 1 }
    let derived = base.deriving("derived") { $0[.accent] = .red }
    #expect(derived.changes(from: base) == [ThemeKeys.accent])
    #expect(
      derived.changes(from: Theme("empty", appearance: .dark)) == [
        ThemeKeys.accent, ThemeKeys.radius,
      ]
    )
    #expect(base.deriving("same") { $0[.radius] = 1 }.changes(from: base).isEmpty)
  }

  @Test(
    "Replacing NaN with NaN in numbers and lists is not a change; for a structure, `==` decides"
  )
  func notANumber() {
    struct Inset: Equatable, Sendable {
      var left: Double
      var top = 0.0
    }
    let scale = ThemeKey<Double>("scale", default: 1)
    let steps = ThemeKey<[Float]>("steps", default: [])
    let inset = ThemeKey<Inset>("inset.nan", default: Inset(left: 0))
    let odd = Theme("odd", appearance: .dark) {
      $0[scale] = .nan
      $0[steps] = [1, .nan]
      $0[inset] = Inset(left: .nan)
    }
    let same = Theme("same", appearance: .dark) {
      $0[scale] = .nan
      $0[steps] = [1, .nan]
      $0[inset] = Inset(left: .nan)
    }
    let other = Theme("other", appearance: .dark) {
      $0[scale] = 1
      $0[steps] = [2, .nan]
      $0[inset] = Inset(left: .nan, top: 1)
    }
    #expect(odd.deriving("same") { _ in }.changes(from: odd).isEmpty)
    #expect(odd.deriving("two") { $0[scale] = 2 }.changes(from: odd) == [scale])
    #expect(same.changes(from: odd) == [inset])
    #expect(other.changes(from: odd) == [scale, steps, inset])
  }

  @Test("Deriving in a loop keeps every value and uses at most 32 layers")
  func derivingInALoop() {
    let keys = (0..<200).map { ThemeKey<Int>("loop.\($0)", default: -1) }
    var theme = Theme("base", appearance: .light) { $0[alias: .accent] = .brand }
    for (number, key) in keys.enumerated() {
      theme = theme.deriving("step \(number)") { $0[key] = number }
      #expect(theme.layerCount <= 32)
    }
    #expect(keys.map { theme[$0] } == Array(0..<200))
    #expect(theme.name == "step 199" && theme.appearance == .light)
    theme[.brand] = .red
    #expect(theme[.accent] == .red)
    // The near ones keep their names; the far ones are one layer, under the name of the last of them.
    #expect(theme.explain(keys[199]).steps.map(\.theme) == ["step 199"])
    #expect(theme.explain(keys[184]).steps.map(\.theme) == ["step 184"])
    let far = theme.explain(keys[0]).steps.map(\.theme)
    #expect(far == theme.explain(keys[50]).steps.map(\.theme))
  }

  @Test("Themes are equal if their names, appearances and values are, whatever leads to the values")
  func equality() {
    let scale = ThemeKey("equality.scale", default: 1.0)
    let twin = ThemeKey("equality.twin", default: 1.0)
    let base = Theme("base", appearance: .light) { $0[scale] = .nan }
    var derived = base.deriving("base") { $0[alias: twin] = scale }
    #expect(base != derived)
    derived.remove(twin)
    #expect(base == derived && base == base.deriving("base") { $0[scale] = .nan })
    #expect(base != base.deriving("other") { _ in })
    #expect(base != base.deriving("base", appearance: .dark) { _ in })
    #expect(base != base.deriving("base") { $0[scale] = 2 })
  }
}
