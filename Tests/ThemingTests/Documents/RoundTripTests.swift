import TestSupport
import Testing
import Theming

#if canImport(FoundationEssentials)
import FoundationEssentials  // Reason: its coders stand for those that users bring.
#else
import Foundation  // Reason: its coders stand for those that users bring.
#endif

@Suite("Document round trips")
struct RoundTripTests {
  @Test(
    "Any theme written as JSON or either property list is read back unchanged",
    .timeLimit(.minutes(5))
  )
  func randomThemes() throws {
    let json = (JSONEncoder(), JSONDecoder())
    let (xml, binary) = (PropertyListEncoder(), PropertyListEncoder())
    xml.outputFormat = .xml
    binary.outputFormat = .binary
    var random = SampleNumbers(seed: 11)
    for number in 0..<size(100, full: 300) {
      let base = randomTheme("base \(number)", using: &random)
      let theme = randomTheme("theme \(number)", over: base, using: &random)
      let document = AppThemeDocument(theme)
      #expect(document.issues.isEmpty)
      let copies = [
        try json.1.decode(AppThemeDocument.self, from: json.0.encode(document)),
        try PropertyListDecoder().decode(AppThemeDocument.self, from: xml.encode(document)),
        try PropertyListDecoder().decode(AppThemeDocument.self, from: binary.encode(document)),
      ]
      for copy in copies { try expect(copy, is: theme, over: base) }
    }
  }

  /// Expects that a copy reads like its theme: alone, over its base, and where others are laid over it.
  private func expect(_ copy: AppThemeDocument, is theme: Theme, over base: Theme) throws {
    #expect(copy.issues.isEmpty)
    let again = try copy.theme(extending: base, strict: true)
    #expect(again.name == theme.name)
    #expect(again.appearance == theme.appearance)
    #expect(again.changes(from: theme).isEmpty)
    let repainted = { (theme: Theme) in theme.deriving("red") { $0[AppTheme.brand] = .red } }
    #expect(repainted(again).changes(from: repainted(theme)).isEmpty)
    #expect(again[alias: .accent] == theme[alias: .accent])
    #expect(again[alias: AppTheme.text] == theme[alias: AppTheme.text])
  }

  /// A theme that says something about some keys.
  ///
  /// Its aliases point from the accent to the text and
  /// from the text to the brand, never back.
  private func randomTheme(
    _ name: String,
    over base: Theme? = nil,
    using random: inout SampleNumbers
  ) -> Theme {
    var theme = base?.deriving(name) { _ in } ?? Theme(name, appearance: .dark)
    theme.appearance = Bool.random(using: &random) ? .light : .dark
    func says() -> Bool { Bool.random(using: &random) }
    if says() { theme[.radius] = Int.random(in: (-9)...9, using: &random) }
    if says() { theme[AppTheme.scale] = Double.random(in: 0...2, using: &random) }
    if says() { theme[AppTheme.bold] = Bool.random(using: &random) }
    if says() { theme[AppTheme.weights] = [1, 2, 3].shuffled(using: &random) }
    if says() { theme[AppTheme.title] = randomText(using: &random) }
    if says() { theme[AppTheme.subtitle] = randomText(using: &random) }
    if says() { theme[AppTheme.style] = .raised }
    if says() { theme[AppTheme.border] = Border(width: 7, color: randomColor(using: &random)) }
    if says() { theme[AppTheme.brand] = randomColor(using: &random) }
    if says() { theme[.accent] = randomColor(using: &random) }
    if says() { theme[alias: .accent] = says() ? AppTheme.text : AppTheme.brand }
    if says() { theme[AppTheme.text] = randomColor(using: &random) }
    if says() { theme[alias: AppTheme.text] = AppTheme.brand }
    if says() { theme[alias: AppTheme.frame] = AppTheme.border }
    return theme
  }

  private func randomText(using random: inout SampleNumbers) -> String {
    let parts = ["{", "}", "{{", "}}", "color.brand", " ", "ä", "\u{301}", "\"", "\\", "\n", "🎨"]
    let count = Int.random(in: 0...5, using: &random)
    return (0..<count).map { _ in parts[Int.random(in: parts.indices, using: &random)] }.joined()
  }

  private func randomColor(using random: inout SampleNumbers) -> RGBA {
    let bits = random.next()
    return RGBA(
      red: UInt8(truncatingIfNeeded: bits),
      green: UInt8(truncatingIfNeeded: bits >> 8),
      blue: UInt8(truncatingIfNeeded: bits >> 16),
      alpha: UInt8(truncatingIfNeeded: bits >> 24)
    )
  }
}
