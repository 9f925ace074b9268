import Testing
import Theming

private enum Words: ThemeSchema {
  static let keys: [AnyThemeKey] = [
    "a", "bb", "dot", "dog", "ember", "corner.radius", "color.accent", "color.accents", "größe",
    "abcdefghi",
  ].map { ThemeKey<Int>($0, default: 0) }
}

@Suite("Name suggestions")
struct SuggestionTests {
  @Test(
    "The suggestion is the nearest name, if it is near enough",
    arguments: [
      // A letter replaced, left out, added, or exchanged with its neighbor.
      ("embar", "ember"), ("embe", "ember"), ("emmber", "ember"), ("embre", "ember"),
      ("mber", "ember"), ("eember", "ember"), ("emberx", "ember"), ("meber", "ember"),
      ("corner.raduis", "corner.radius"), ("grosse", nil), ("GRÖSSE", "größe"),
      // Case does not count.
      ("EMBER", "ember"), ("Color.Accent", "color.accent"),
      // The nearest of several; of equally near ones the first in the alphabet.
      ("color.accentz", "color.accent"), ("color.acents", "color.accents"), ("doz", "dog"),
      ("dto", "dot"), ("dtos", nil),
      // One letter is always allowed, more than a third is not.
      ("b", "a"), ("ba", "a"), ("c", "a"), ("abcdefxyz", "abcdefghi"), ("abcdewxyz", nil),
      ("abcdefghijkl", "abcdefghi"), ("abcdefghijklm", "abcdefghi"), ("abcdefghijklmn", nil),
      ("abcdef", "abcdefghi"),
      ("abcde", nil), ("embxx", nil), ("xyz.unheard", nil),
    ] as [(String, String?)]
  )
  func nearest(_ written: String, _ meant: String?) throws {
    let document = try read(values: .object([Node.Member(name: written, value: 1)]), as: Words.self)
    #expect(document.issues.map(\.key) == [written])
    #expect(document.issues.map(\.suggestion) == [meant])
  }

  @Test("A very long name is compared only until it is known to be too long")
  func longName() throws {
    let name = String(repeating: "ember", count: 100_000)
    let values: Node = .object([Node.Member(name: name, value: 1)])
    let document = try read(values: values, as: Words.self)
    #expect(document.issues.map(\.suggestion) == [nil])
  }
}
