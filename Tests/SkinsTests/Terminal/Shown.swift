import Terminal
import TestSupport

/// The expected screen of the tests for the output of the program.
extension Screen.Style {
  init(_ shown: ShownStyle) {
    self.init()
    foreground = shown.foreground.map(Screen.Color.init)
    background = shown.background.map(Screen.Color.init)
    isBold = shown.isBold
    isReversed = shown.isReversed
  }
}

extension Screen.Color {
  init(_ shown: ShownColor) {
    switch shown {
    case .indexed(let index): self = .indexed(Int(index))
    case .direct(let color):
      self = .direct(Int(color.red), Int(color.green), Int(color.blue))
    }
  }
}

extension Screen {
  /// Returns whether the screen shows a canvas and nothing else.
  func shows(_ canvas: Canvas, _ depth: ColorDepth) -> Bool {
    guard columns == canvas.size.columns, rows == canvas.size.rows else { return false }
    return (0..<rows).allSatisfy { row in
      (0..<columns).allSatisfy { column in
        guard let cell = canvas[column, row] else { return false }
        return self[column, row].scalar == cell.scalar
          && self[column, row].style == Style(depth.shown(cell.style))
      }
    }
  }
}

/// The same numbers in every run, from a seed (Knuth's linear congruence).
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
