import TestSupport
import Testing
import Theming

@Suite("ThemeKey")
struct ThemeKeyTests {
  @Test("Keys with the same name and type are the same key, wherever they were created")
  func interned() {
    let one = ThemeKey<Int>("key.same", default: 1)
    let other = ThemeKey<Int>("key.same", default: 1)
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
    #expect(Theme("t", appearance: .dark) { $0[one] = 3 }[other] == 3)
  }

  @Test("Keys with the same name and different types are different")
  func otherType() {
    let number = ThemeKey<Int>("key.typed", default: 1)
    let text = ThemeKey<String>("key.typed", default: "one")
    #expect(number as AnyThemeKey != text as AnyThemeKey)
    let theme = Theme("t", appearance: .dark) { $0[number] = 2 }
    #expect(theme[text] == "one")
  }

  @Test("If one key is created with two defaults, the first one holds for both")
  func firstDefaultHolds() {
    let first = ThemeKey<Int>("key.default", default: 1)
    let second = ThemeKey<Int>("key.default", default: 2)
    #expect(second.defaultValue == 1)
    #expect(Theme("t", appearance: .dark)[first] == Theme("t", appearance: .dark)[second])
  }

  @Test("Creating one key on many threads at once creates a single key")
  func racingKeys() async {
    let made = Log<[ThemeKey<Int>]>()
    await onThreads(2) { _ in
      // Nothing else is shared meanwhile: another lock would order the threads.
      made.append((0..<1_000).map { ThemeKey("key.race.\($0)", default: $0) })
    }
    #expect(made.entries.map(\.count) == [1_000, 1_000])
    #expect(made.entries.first == made.entries.last)
  }
}
