import Theming

/// All there is to see, as values: what the terminal shows and the SVG file draws.
struct Picture: Sendable {
  /// A row.
  struct Row: Sendable {
    let message: Message
    let card: RGBA
    let ink: RGBA
    let muted: RGBA
    let accent: RGBA
    let marker: String
    let corner: Int
    /// Whether it follows the skin, or keeps the look it has.
    let isFollowing: Bool
  }

  /// The name of the skin.
  let skin: String
  /// Whether it is light or dark, and why.
  let appearance: String
  let barGround: RGBA
  let barText: RGBA
  let paper: RGBA
  let ink: RGBA
  let muted: RGBA
  let accent: RGBA
  let rows: [Row]
  /// The line of Swift behind the last action, and what came of it.
  let code: String
  let outcome: String
  /// The lines of the panel, if it is open.
  let panel: [String]
}
