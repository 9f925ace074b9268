import Testing
import Theming

@Suite("RGBA")
struct RGBATests {
  @Test(
    "RGBA reads long and short forms, in either case, with and without the hash",
    arguments: [
      ("#1e90ff", RGBA(red: 0x1e, green: 0x90, blue: 0xff)),
      ("1E90FF", RGBA(red: 0x1e, green: 0x90, blue: 0xff)),
      ("#1e90ff80", RGBA(red: 0x1e, green: 0x90, blue: 0xff, alpha: 0x80)),
      ("#f0a", RGBA(red: 0xff, green: 0x00, blue: 0xaa)),
      ("#f0a8", RGBA(red: 0xff, green: 0x00, blue: 0xaa, alpha: 0x88)),
    ]
  )
  func reads(_ text: String, _ color: RGBA) {
    #expect(RGBA(hex: text) == color)
  }

  @Test(
    "A string that is not a color gives nil",
    arguments: [
      "", "#", "#1", "#12", "#12345", "#1234567", "#123456789", "#ggffff", "##fff", "#fff ",
      " #fff", "#-1ffff", "#１２３", "#1e90f\u{66}\u{301}", "red",
    ]
  )
  func refuses(_ text: String) {
    #expect(RGBA(hex: text) == nil)
  }

  @Test("RGBA writes #rrggbb, with the opacity only if it is not full")
  func writes() {
    #expect(RGBA(red: 1, green: 2, blue: 255).hex == "#0102ff")
    #expect(RGBA(red: 1, green: 2, blue: 255, alpha: 0).hex == "#0102ff00")
    #expect(String(describing: RGBA.red) == "#ff0000")
  }

  @Test("Every channel value is read back as it was written")
  func roundTrip() {
    for value in UInt8.min...UInt8.max {
      let color = RGBA(red: value, green: 255 - value, blue: value / 2, alpha: value)
      #expect(RGBA(hex: color.hex) == color)
    }
  }

  @Test("Contrast is 21 for black on white, 1 for equal colors, and symmetric")
  func contrastBounds() {
    let black = RGBA(red: 0, green: 0, blue: 0)
    let white = RGBA(red: 255, green: 255, blue: 255)
    #expect(abs(black.contrast(with: white) - 21) < 1e-9)
    #expect(RGBA.red.contrast(with: .red) == 1)
    #expect(white.contrast(with: black) == black.contrast(with: white))
  }

  // Ratios computed with the formula of the guidelines and a library's power function.
  @Test(
    "Contrast agrees with the formula of WCAG 2",
    arguments: [
      ("#777777", "#ffffff", 4.478_089_453_577_214),
      ("#767676", "#ffffff", 4.542_224_959_605_253),
      ("#ff0000", "#0000ff", 2.148_936_170_212_766),
      ("#1e90ff", "#0b1020", 5.849_703_432_747_2),
      ("#0a0a0a", "#0b0b0b", 1.005_869_036_386_093_8),
    ]
  )
  func contrastAgrees(_ text: String, _ ground: String, _ ratio: Double) throws {
    let text = try #require(RGBA(hex: text))
    let ground = try #require(RGBA(hex: ground))
    #expect(abs(text.contrast(with: ground) - ratio) < 1e-9)
  }

  @Test("A color is encoded as its string and decoded from it")
  func codes() throws {
    #expect(try NodeEncoder.encode(RGBA.red) == "#ff0000")
    #expect(try NodeDecoder.decode(RGBA.self, from: "#0000ff") == .blue)
  }

  @Test("A string that is not a color is a decoding error that quotes it and shows the form")
  func decodingError() throws {
    let error = try #require(throws: DecodingError.self) {
      try NodeDecoder.decode(RGBA.self, from: "bleu")
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("expected corrupted data, not \(error)")
      return
    }
    #expect(context.debugDescription == "\"bleu\" is not a color: write #rrggbb or #rrggbbaa")
  }

  @Test("A number has the channels as a style sheet writes them")
  func number() {
    for text in ["#000000", "#ffffff", "#6ea0ff", "#010203"] {
      #expect(RGBA(UInt32(text.dropFirst(), radix: 16) ?? 0).hex == text)
    }
  }
}
