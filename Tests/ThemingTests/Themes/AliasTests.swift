import TestSupport
import Testing
import Theming

private let brand = ThemeKey<RGBA>("alias.brand", default: .blue)
private let link = ThemeKey<RGBA>("alias.link", default: .gray)

@Suite("Aliases")
struct AliasTests {
  private let night = Theme("Night", appearance: .dark) {
    $0[brand] = .red
    $0[alias: .accent] = brand
  }

  @Test("An alias binds late: overriding its target changes it in every derived theme")
  func lateBinding() {
    let ember = night.deriving("Ember") { $0[brand] = .gray }
    let deep = ember.deriving("a") { $0[.radius] = 1 }.deriving("b") { $0[brand] = .blue }
    #expect(ember[.accent] == .gray)
    #expect(deep[.accent] == .blue)
    #expect(night[.accent] == .red)
  }

  @Test("An alias set in a derived theme follows the base's values")
  func aliasAboveValue() {
    let base = Theme("base", appearance: .dark) { $0[brand] = .red }
    #expect(base.deriving("d") { $0[alias: .accent] = brand }[.accent] == .red)
  }

  @Test("An alias of an alias reads the end of the chain, in any layers")
  func chain() {
    let theme = night.deriving("d") { $0[alias: link] = .accent }
    #expect(theme[link] == .red)
    #expect(theme.deriving("e") { $0[brand] = .gray }[link] == .gray)
    #expect(theme.deriving("e") { $0[.accent] = .gray }[link] == .gray)
  }

  @Test("In one theme, a value replaces an alias, and an alias replaces a value")
  func override() {
    var theme = night
    theme[.accent] = .gray
    #expect(theme[.accent] == .gray)
    #expect(theme[alias: .accent] == nil)
    theme[alias: .accent] = brand
    #expect(theme[.accent] == .red)
    #expect(theme[alias: .accent] == brand)
  }

  @Test("A value hides an alias of the base, and removing the value shows it again")
  func overrideAndBack() {
    var theme = night.deriving("d") { $0[.accent] = .gray }
    #expect(theme[alias: .accent] == nil)
    #expect(theme[.accent] == .gray)
    theme.remove(ThemeKeys.accent)
    #expect(theme[alias: .accent] == brand)
    #expect(theme[.accent] == .red)
  }

  @Test("Reading an alias returns its target, including one of the base, and nil without an alias")
  func getter() {
    #expect(night[alias: .accent] == brand)
    #expect(night.deriving("d") { _ in }[alias: .accent] == brand)
    #expect(night[alias: brand] == nil)
    #expect(night[alias: link] == nil)
    // The next step, not the end of the chain.
    #expect(night.deriving("d") { $0[alias: link] = .accent }[alias: link] == .accent)
  }

  @Test("Setting the alias to nil removes the theme's own alias and nothing else")
  func setNil() {
    var own = night
    own[alias: .accent] = nil
    #expect(own[.accent] == .gray)
    var value = night
    value[alias: brand] = nil
    #expect(value[brand] == .red)
    var derived = night.deriving("d") { _ in }
    derived[alias: .accent] = nil
    #expect(derived[alias: .accent] == brand)
    var redirected = night.deriving("d") { $0[alias: .accent] = link }
    redirected[alias: .accent] = nil
    #expect(redirected[alias: .accent] == brand)
  }

  @Test("A key changes when its target changes, including to a default")
  func changes() {
    let ember = night.deriving("Ember") { $0[brand] = .gray }
    #expect(ember.changes(from: night) == [brand, ThemeKeys.accent])
    #expect(night.changes(from: ember) == [brand, ThemeKeys.accent])
    let plain = Theme("plain", appearance: .dark)
    #expect(plain.changes(from: night) == [brand, ThemeKeys.accent])
    #expect(
      Theme("t", appearance: .dark) { $0[alias: .accent] = brand }.changes(from: plain) == [
        ThemeKeys.accent
      ]
    )
  }

  @Test("A key that reads the same value through another path has not changed")
  func noChange() {
    let direct = Theme("direct", appearance: .dark) {
      $0[brand] = .red
      $0[.accent] = .red
    }
    #expect(direct.changes(from: night).isEmpty)
    #expect(night.changes(from: direct).isEmpty)
    let redirected = night.deriving("d") {
      $0[link] = .red
      $0[alias: .accent] = link
    }
    #expect(redirected.changes(from: night) == [link])
    // To the default of the target, which is the default of the key.
    let twin = ThemeKey<RGBA>("alias.twin", default: .gray)
    #expect(
      Theme("t", appearance: .dark) { $0[alias: .accent] = twin }.changes(
        from: Theme("plain", appearance: .dark)
      ).isEmpty
    )
  }

  @Test("A chain of 1,000 aliases is followed to its end, from every link, in either name order")
  func longChain() throws {
    let keys = (0..<1_000).map { ThemeKey<Int>("alias.chain.\($0)", default: -$0 - 1) }
    var theme = Theme("t", appearance: .dark) { theme in
      for (key, next) in zip(keys, keys.dropFirst()) { theme[alias: key] = next }
    }
    #expect(theme[keys[0]] == -1_000)
    theme[keys[999]] = 7
    #expect(theme[keys[0]] == 7)
    #expect(theme[keys[500]] == 7)
    #expect(try theme.checked().changes(from: Theme("empty", appearance: .dark)) == Set(keys))
    #expect(theme.explain(keys[0]).steps.count == 1_000)
    let backwards = Theme("t", appearance: .dark) { theme in
      for (key, next) in zip(keys, keys.dropFirst()) { theme[alias: next] = key }
      theme[keys[0]] = 8
    }
    #expect(try backwards.checked()[keys[999]] == 8)
    #expect(backwards.changes(from: Theme("empty", appearance: .dark)) == Set(keys))
  }
}
