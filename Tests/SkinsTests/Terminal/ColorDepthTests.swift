import Terminal
import Testing

@Suite("Color depth")
struct ColorDepthTests {
  @Test(
    "The environment decides the color depth without an option",
    arguments: [
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], ColorDepth.trueColor),
      (["TERM": "xterm", "COLORTERM": "24bit"], .trueColor),
      (["TERM": "xterm-direct"], .trueColor),
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
  func environment(_ variables: [String: String], _ depth: ColorDepth) {
    #expect(ColorDepth(.auto, environment: variables) == depth)
  }

  @Test("NO_COLOR switches colors off unless it is empty")
  func noColor() {
    let full = ["TERM": "xterm-256color", "COLORTERM": "truecolor"]
    for value in ["1", "0", "false", " "] {
      let variables = full.merging(["NO_COLOR": value]) { $1 }
      #expect(ColorDepth(.auto, environment: variables) == .none)
    }
    let empty = full.merging(["NO_COLOR": ""]) { $1 }
    #expect(ColorDepth(.auto, environment: empty) == .trueColor)
  }

  @Test("An option takes precedence over the environment")
  func options() {
    let off = ["TERM": "xterm-256color", "NO_COLOR": "1"]
    #expect(ColorDepth(.always, environment: off) == .palette)
    #expect(ColorDepth(.always, environment: ["TERM": "dumb"]) == .named)
    #expect(ColorDepth(.named, environment: off) == .named)
    #expect(ColorDepth(.palette, environment: ["TERM": "xterm"]) == .palette)
    #expect(ColorDepth(.trueColor, environment: off) == .trueColor)
    #expect(ColorDepth(.never, environment: ["TERM": "xterm-direct"]) == .none)
  }
}
