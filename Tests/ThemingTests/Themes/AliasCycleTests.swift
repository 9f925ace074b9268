import TestSupport
import Testing
import Theming

private func key(_ name: String) -> ThemeKey<Int> { ThemeKey("cycle.\(name)", default: name.count) }

/// A theme with the aliases of a text such as "a>b b>c".
func theme(_ aliases: String) -> Theme {
  Theme("t", appearance: .dark) { theme in
    for alias in aliases.split(separator: " ") {
      let ends = alias.split(separator: ">").map { key(String($0)) }
      theme[alias: ends[0]] = ends[1]
    }
  }
}

/// The path of the cycle that a theme is refused for.
func cycle(_ theme: Theme) throws -> [String] {
  let error = try #require(throws: ThemeError.self) { try theme.checked() }
  #expect(error.code == .aliasCycle)
  #expect(error.themes == [theme.name])
  return error.path.map { String($0.dropFirst("cycle.".count)) }
}

@Suite("Alias cycles")
struct AliasCycleTests {
  @Test(
    "A cycle is named from its alphabetically first key",
    arguments: [
      ("a>b b>a", ["a", "b", "a"]), ("b>a a>b", ["a", "b", "a"]), ("a>a", ["a", "a"]),
      ("c>a a>b b>c", ["a", "b", "c", "a"]),
      // Keys that lead into the cycle are no part of it.
      ("a>z z>y y>x x>z", ["z", "y", "x", "z"]), ("d>d a>d", ["d", "d"]),
      // The first of several.
      ("x>y y>x b>c c>b", ["b", "c", "b"]), ("m>n a>x x>m n>m b>b", ["m", "n", "m"]),
    ]
  )
  func path(_ aliases: String, _ expected: [String]) throws {
    #expect(try cycle(theme(aliases)) == expected)
  }

  @Test("A cycle's description names the theme, the keys and the remedy")
  func description() throws {
    let error = try #require(throws: ThemeError.self) { try theme("a>b b>a").checked() }
    #expect(
      "\(error)" == "The aliases of the theme \"t\" form a cycle: "
        + "cycle.a → cycle.b → cycle.a. Give one of them a value."
    )
  }

  @Test("Of two cycles with the same first name in two types the same one is reported on every run")
  func twins() throws {
    for number in 0..<24 {
      let (one, two) = ("cycle.a twin \(number)", "cycle.b \(number)")
      let (texts, numbers) = (ThemeKey<String>(one, default: ""), ThemeKey<Int>(one, default: 0))
      let text = ThemeKey<String>("\(two) of texts", default: "")
      let number = ThemeKey<Int>("\(two) of numbers", default: 0)
      let theme = Theme("t", appearance: .dark) {
        $0[alias: texts] = text
        $0[alias: numbers] = number
        $0[alias: text] = texts
        $0[alias: number] = numbers
      }
      // Both begin with the same name, so the types decide: Int comes before String.
      let error = try #require(throws: ThemeError.self) { try theme.checked() }
      #expect(error.path == [one, "\(two) of numbers", one])
    }
  }

  @Test("Reading never fails: keys in and before the cycle read their own defaults")
  func reading() {
    let theme = theme("in>a a>bb bb>a far>in")
    #expect(theme[key("a")] == 1)
    #expect(theme[key("bb")] == 2)
    #expect(theme[key("in")] == 2)
    #expect(theme[key("far")] == 3)
    #expect(theme.changes(from: Theme("empty", appearance: .dark)).isEmpty)
  }

  @Test("A cycle of 1,000 keys is reported whole, and its keys can be read")
  func long() throws {
    let count = 1_000
    let keys = (0..<count).map { ThemeKey<Int>("cycle.long.\($0)", default: $0) }
    let theme = Theme("t", appearance: .dark) { theme in
      for index in keys.indices { theme[alias: keys[index]] = keys[(index + 1) % count] }
    }
    let error = try #require(throws: ThemeError.self) { try theme.checked() }
    #expect(error.path == keys.map(\.name) + [keys[0].name])
    #expect(theme[keys[7]] == 7)
  }

  @Test("A cycle that spans two themes belongs to the derived theme, not to its base")
  func acrossLayers() throws {
    let base = theme("a>b")
    #expect(throws: Never.self) { try base.checked() }
    let derived = base.deriving("d") { $0[alias: key("b")] = key("a") }
    #expect(try cycle(derived) == ["a", "b", "a"])
  }

  @Test(
    "A cycle in the base that a derived theme breaks with a value or another alias is not a cycle"
  )
  func shadowed() throws {
    let base = theme("a>b b>a")
    let valued = base.deriving("d") { $0[key("b")] = 5 }
    #expect(try valued.checked()[key("a")] == 5)
    let redirected = base.deriving("d") { $0[alias: key("b")] = key("ccc") }
    #expect(try redirected.checked()[key("a")] == 3)
    #expect(redirected.explain(key("a")).steps.count == 3)
  }
}
