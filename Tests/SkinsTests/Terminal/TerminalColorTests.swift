import Terminal
import Testing

@Suite("Terminal colors")
struct TerminalColorTests {
  @Test("No color of the cube and the grays is nearer than the chosen one")
  func nearestOfAll() {
    let all = (16...255).map { XtermPalette.color(UInt8($0)) }
    let steps = stride(from: 0, through: 255, by: 15).map { UInt8($0) } + [47, 48, 114, 115, 238]
    for red in steps {
      for green in steps {
        for blue in steps {
          let color = Color(red: red, green: green, blue: blue)
          let found = XtermPalette.nearest(to: color)
          #expect(found >= 16)
          let best = all.map { distance($0, color) }.min()
          #expect(distance(XtermPalette.color(found), color) == best, "\(color)")
        }
      }
    }
  }

  @Test("A palette color is its own nearest color", arguments: 16...255)
  func itself(_ index: Int) {
    let color = XtermPalette.color(UInt8(index))
    #expect(XtermPalette.color(XtermPalette.nearest(to: color)) == color)
  }

  @Test(
    "Known palette colors have their documented numbers",
    arguments: [
      (16, 0, 0, 0), (21, 0, 0, 255), (46, 0, 255, 0), (196, 255, 0, 0), (231, 255, 255, 255),
      (67, 95, 135, 175), (232, 8, 8, 8), (244, 128, 128, 128), (255, 238, 238, 238),
      (1, 205, 0, 0), (12, 92, 92, 255), (15, 255, 255, 255),
    ]
  )
  func known(_ index: Int, _ red: Int, _ green: Int, _ blue: Int) {
    let color = Color(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
    #expect(XtermPalette.color(UInt8(index)) == color)
  }

  @Test(
    "Sample colors map to the expected named colors",
    arguments: [
      (0x14, 0x18, 0x24, 0), (0xfb, 0xf7, 0xef, 15), (0xff, 0x10, 0x10, 9), (0xc0, 0x10, 0x08, 1),
      (0x80, 0x80, 0x80, 8), (0xe0, 0xe0, 0xe8, 7), (0x60, 0x58, 0xff, 12), (0xf0, 0xf0, 0x10, 11),
    ]
  )
  func named(_ red: Int, _ green: Int, _ blue: Int, _ index: Int) {
    let color = Color(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
    #expect(XtermPalette.nearestNamed(to: color) == UInt8(index))
  }

  @Test("Text that would match its background becomes black or white")
  func readable() {
    let dark = Color(red: 9, green: 8, blue: 8)
    let darker = Color(red: 7, green: 8, blue: 7)
    let light = Color(red: 253, green: 254, blue: 253)
    let lighter = Color(red: 254, green: 255, blue: 254)
    for depth in [ColorDepth.named, .palette] {
      let onDark = depth.shown(Style(foreground: darker, background: dark))
      let onLight = depth.shown(Style(foreground: light, background: lighter))
      #expect(onDark.foreground == .indexed(depth == .named ? 15 : 231))
      #expect(onDark.foreground != onDark.background)
      #expect(onLight.foreground != onLight.background)
    }
    let same = ColorDepth.named.shown(Style(foreground: dark, background: dark))
    #expect(same.foreground == same.background, "Hidden text stays hidden.")
    let direct = ColorDepth.trueColor.shown(Style(foreground: darker, background: dark))
    #expect(direct.foreground == .direct(darker))
  }

  @Test("Without colors, highlighted text is reversed, and bold text stays bold")
  func withoutColors() {
    let color = Color(red: 200, green: 0, blue: 0)
    let style = Style(foreground: color, background: color, isBold: true, standsOut: true)
    let shown = ColorDepth.none.shown(style)
    #expect(shown.sequence == "\u{1b}[0;1;7m")
    #expect(ColorDepth.named.shown(style).isReversed == false)
  }

  @Test("Each kind of color has its control sequence")
  func sequences() {
    let orange = Color(red: 255, green: 176, blue: 112)
    let black = Color(red: 0, green: 0, blue: 0)
    let style = Style(foreground: orange, background: black)
    #expect(ColorDepth.named.shown(style).sequence == "\u{1b}[0;33;40m")
    #expect(ColorDepth.palette.shown(style).sequence == "\u{1b}[0;38;5;215;48;5;16m")
    #expect(
      ColorDepth.trueColor.shown(style).sequence == "\u{1b}[0;38;2;255;176;112;48;2;0;0;0m"
    )
    var bright = ShownStyle()
    bright.foreground = .indexed(9)
    bright.background = .indexed(15)
    #expect(bright.sequence == "\u{1b}[0;91;107m")
    #expect(ShownStyle().sequence == "\u{1b}[0m")
  }

  private func distance(_ left: Color, _ right: Color) -> Int {
    let differences = [
      Int(left.red) - Int(right.red), Int(left.green) - Int(right.green),
      Int(left.blue) - Int(right.blue),
    ]
    return differences.map { $0 * $0 }.reduce(0, +)
  }
}
