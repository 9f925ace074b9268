import Testing
import Theming

private enum Doubled: ThemeSchema {
  static let keys: [AnyThemeKey] = [
    ThemeKey<Int>("doubled", default: 1), ThemeKey<Int>("doubled", default: 1),
  ]
}

/// A key with the name of a group.
private enum Overlapping: ThemeSchema {
  static let whole = ThemeKey<String>("over", default: "")
  static let part = ThemeKey<Int>("over.part", default: 0)
  static let keys: [AnyThemeKey] = [whole, part]
}

/// Names that begin with an accent, have a dot at an end, or two of them.
private enum Odd: ThemeSchema {
  static let one = ThemeKey<Int>("odd.one", default: 0)
  static let accented = ThemeKey<Int>("\u{301}odd", default: 0)
  static let dotted = ThemeKey<Int>(".odd..dots.", default: 0)
  static let keys: [AnyThemeKey] = [one, accented, dotted]
}

@Suite("ThemeSchema")
struct SchemaTests {
  @Test("The same key twice is harmless")
  func sameKeyTwice() throws {
    let document = try read(values: ["doubled": 2], as: Doubled.self)
    #expect(try document.theme(strict: true)[ThemeKey<Int>("doubled", default: 1)] == 2)
  }

  @Test("If a key has the name of a group, the content is the key's value")
  func keyAndGroup() throws {
    let dotted = try read(values: ["over": "all", "over.part": 3], as: Overlapping.self).theme(
      strict: true
    )
    #expect(dotted[Overlapping.whole] == "all")
    #expect(dotted[Overlapping.part] == 3)
    let nested = try read(values: ["over": ["part": 3]], as: Overlapping.self)
    #expect(nested.issues.map(\.key) == ["over"])
    #expect(try nested.theme()[Overlapping.part] != 3)
  }

  @Test("Keys with unusual names are written, read and aliased like others")
  func oddNames() throws {
    let base = Theme("base", appearance: .dark) {
      $0[alias: Odd.one] = Odd.accented
      $0[alias: Odd.accented] = Odd.dotted
      $0[Odd.dotted] = 5
    }
    let node = try NodeEncoder.encode(ThemeDocument<Odd>(base))
    let again = try NodeDecoder.decode(ThemeDocument<Odd>.self, from: node).theme(strict: true)
    #expect(again[Odd.one] == 5)
    let nested = try read(values: ["": ["odd": ["": ["dots": ["": 6]]]]], as: Odd.self)
    #expect(try nested.theme(strict: true)[Odd.dotted] == 6)
  }
}
