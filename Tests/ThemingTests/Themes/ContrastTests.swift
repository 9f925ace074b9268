import Testing
import Theming

private let text = ThemeKey<RGBA>("contrast.text", default: RGBA(red: 0, green: 0, blue: 0))
private let ground = ThemeKey<RGBA>(
  "contrast.background",
  default: RGBA(red: 255, green: 255, blue: 255)
)

private func painted(_ textColor: String, on groundColor: String) throws -> Theme {
  let (above, below) = (RGBA(hex: textColor), RGBA(hex: groundColor))
  return try Theme("t", appearance: .dark) {
    $0[text] = try #require(above)
    $0[ground] = try #require(below)
  }
}

@Suite("Contrast of a theme")
struct ContrastTests {
  // Greys on white at the limits that the guidelines set: the last that passes, the first that does
  // not.
  @Test(
    "A text passes up to the limit and not beyond it",
    arguments: [
      ("#767676", 4.5, true), ("#777777", 4.5, false), ("#949494", 3, true), ("#959595", 3, false),
      ("#595959", 7, true), ("#5a5a5a", 7, false), ("#000000", 21, true), ("#010101", 21, false),
      ("#ffffff", 1, true),
    ]
  )
  func limits(_ color: String, _ minimum: Double, _ passes: Bool) throws {
    let theme = try painted(color, on: "#ffffff")
    let issues = theme.contrastIssues([ContrastRule(text, on: ground, atLeast: minimum)])
    #expect(issues.isEmpty == passes)
  }

  @Test("An issue names the theme, both keys, both colors, the ratio and the required ratio")
  func issue() throws {
    let theme = try painted("#777777", on: "#ffffff")
    let issues = theme.contrastIssues([ContrastRule(text, on: ground, atLeast: 4.5)])
    let issue = try #require(issues.first)
    #expect(issues.count == 1)
    #expect(issue.theme == "t")
    #expect(issue.rule.text == text)
    #expect(issue.rule.background == ground)
    #expect(issue.rule.minimum == 4.5)
    #expect(issue.text.hex == "#777777")
    #expect(issue.background.hex == "#ffffff")
    #expect(abs(issue.ratio - 4.478_089_453_577_214) < 1e-9)
    #expect(
      "\(issue)"
        == "t: contrast.text #777777 on contrast.background #ffffff has a contrast of 4.47, "
        + "below 4.50"
    )
  }

  @Test(
    "The ratio has two decimals, rounded down; the required ratio is unrounded",
    arguments: [
      ("#777777", 4.48, "4.47, below 4.48"), ("#ffffff", 1.05, "1.00, below 1.05"),
      ("#767676", 1e300, "4.54, below 1e+300"), ("#767676", .infinity, "4.54, below inf"),
    ]
  )
  func places(_ color: String, _ minimum: Double, _ end: String) throws {
    let theme = try painted(color, on: "#ffffff")
    let issues = theme.contrastIssues([ContrastRule(text, on: ground, atLeast: minimum)])
    #expect(issues.map { "\($0)".hasSuffix(end) } == [true])
  }

  @Test("Defaults and aliases are checked like values")
  func resolved() {
    let rules = [ContrastRule(text, on: ground, atLeast: 4.5)]
    #expect(Theme("t", appearance: .dark).contrastIssues(rules).isEmpty)
    let same = Theme("t", appearance: .dark) { $0[alias: text] = ground }
    #expect(same.contrastIssues(rules).map(\.ratio) == [1])
  }

  @Test("A translucent text is blended with its background before the comparison")
  func translucentText() throws {
    let theme = try painted("#00000080", on: "#ffffff")
    let issue = try #require(
      theme.contrastIssues([ContrastRule(text, on: ground, atLeast: 4.5)]).first
    )
    #expect(issue.text.hex == "#7f7f7f")
    #expect(abs(issue.ratio - 4.004) < 0.001)
    let invisible = try painted("#00000000", on: "#ffffff")
    let issues = invisible.contrastIssues([ContrastRule(text, on: ground, atLeast: 3)])
    #expect(issues.map(\.ratio) == [1])
  }

  @Test("A translucent background is composited over black or white, whichever is worse")
  func translucentGround() throws {
    let rules = [ContrastRule(text, on: ground, atLeast: 21)]
    let dark = try #require(painted("#000000", on: "#ffffff80").contrastIssues(rules).first)
    #expect(dark.background.hex == "#808080")
    let light = try #require(painted("#ffffff", on: "#00000080").contrastIssues(rules).first)
    #expect(light.background.hex == "#7f7f7f")
    #expect(light.ratio < 21)
  }
}

@Suite("Blended colors")
struct LaidOverTests {
  @Test(
    "The blend is the visible color",
    arguments: [
      ("#102030", "#ffffff", "#102030"), ("#10203000", "#ffffff", "#ffffff"),
      ("#00000080", "#ffffff", "#7f7f7f"), ("#ffffff80", "#000000", "#808080"),
      ("#ff000080", "#0000ff", "#80007f"), ("#ff000001", "#000000", "#010000"),
      ("#ff0000fe", "#000000", "#fe0000"),
      // Over a color that is itself translucent, or fully clear.
      ("#ff000080", "#0000ff80", "#aa0055c0"), ("#ff000080", "#0000ff00", "#ff000080"),
      ("#12345600", "#65432100", "#00000000"), ("#12345600", "#65432180", "#65432180"),
      ("#123456", "#65432100", "#123456"),
    ]
  )
  func mixes(_ upper: String, _ lower: String, _ expected: String) throws {
    let (upper, lower) = (try #require(RGBA(hex: upper)), try #require(RGBA(hex: lower)))
    #expect(upper.laid(over: lower).hex == expected)
  }

  @Test("Over an opaque background the blend is opaque and between both colors")
  func bounds() {
    for alpha in UInt8.min...UInt8.max {
      for channel: UInt8 in [0, 1, 100, 200, 255] {
        let upper = RGBA(red: channel, green: 255, blue: 0, alpha: alpha)
        let mixture = upper.laid(over: .gray)
        let mixed = channels(mixture)
        #expect(mixed.count == 3)
        #expect((min(channel, 128)...max(channel, 128)).contains(mixed[0]))
        #expect(mixed[1] >= 128)
        #expect(mixed[2] <= 128)
      }
    }
  }

  /// Returns the channels of a color, three of them when it is opaque.
  private func channels(_ color: RGBA) -> [UInt8] {
    let digits = Array(color.hex.dropFirst())
    return stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(String(digits[index...(index + 1)]), radix: 16)
    }
  }

  @MainActor
  @Test("A manager checks its theme and those of its scopes, each before its own scopes")
  func scopes() throws {
    let manager = makeManager(
      Theme("Fine", appearance: .dark) { $0[text] = RGBA(red: 0, green: 0, blue: 0) }
    )
    let rules = [ContrastRule(text, on: ground, atLeast: 4.5)]
    try manager.edit { $0[ground] = RGBA(red: 255, green: 255, blue: 255) }
    #expect(manager.contrastIssues(rules).isEmpty)
    let outer = try manager.scope { theme in
      theme.name = "Outer"
      theme[ground] = RGBA(red: 10, green: 10, blue: 10)
    }
    let inner = try outer.scope { theme in
      theme.name = "Inner"
      theme[text] = RGBA(red: 20, green: 20, blue: 20)
    }
    #expect(manager.contrastIssues(rules).map(\.theme) == ["Outer", "Inner"])
    #expect(inner.contrastIssues(rules).map(\.theme) == ["Inner"])
    try manager.edit { $0[ground] = RGBA(red: 10, green: 10, blue: 10) }
    #expect(manager.contrastIssues(rules).map(\.theme) == ["Fine", "Outer", "Inner"])
  }
}
