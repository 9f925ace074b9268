import Terminal
import Testing

@Suite("Color depth")
struct ColourDepthTests {
  @Test(
    "The environment decides the color depth without an option",
    arguments: [
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], ColourDepth.trueColour),
      (["TERM": "xterm", "COLORTERM": "24bit"], .trueColour),
      (["TERM": "xterm-direct"], .trueColour),
      (["TERM": "xterm-256color"], .palette),
      (["TERM": "screen-256color", "COLORTERM": "yes"], .palette),
      (["TERM": "xterm"], .named),
      (["TERM": "linux"], .named),
      (["TERM": "dumb"], .none),
      (["TERM": "dumb", "COLORTERM": "truecolor"], .none),
      (["TERM": ""], .none),
      ([:], .none),
    ]
  )
  func environment(_ variables: [String: String], _ depth: ColourDepth) {
    #expect(ColourDepth(.auto, environment: variables) == depth)
  }

  @Test("NO_COLOR switches colors off unless it is empty")
  func noColour() {
    let full = ["TERM": "xterm-256color", "COLORTERM": "truecolor"]
    for value in ["1", "0", "false", " "] {
      let variables = full.merging(["NO_COLOR": value]) { $1 }
      #expect(ColourDepth(.auto, environment: variables) == .none)
    }
    let empty = full.merging(["NO_COLOR": ""]) { $1 }
    #expect(ColourDepth(.auto, environment: empty) == .trueColour)
  }

  @Test("An option takes precedence over the environment")
  func options() {
    let off = ["TERM": "xterm-256color", "NO_COLOR": "1"]
    #expect(ColourDepth(.always, environment: off) == .palette)
    #expect(ColourDepth(.always, environment: ["TERM": "dumb"]) == .named)
    #expect(ColourDepth(.named, environment: off) == .named)
    #expect(ColourDepth(.palette, environment: ["TERM": "xterm"]) == .palette)
    #expect(ColourDepth(.trueColour, environment: off) == .trueColour)
    #expect(ColourDepth(.never, environment: ["TERM": "xterm-direct"]) == .none)
  }
}
