import Theming

/// The visible state as values, which the terminal shows and the SVG file draws.
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
    /// A Boolean value that indicates whether the row follows the skin.
    let isFollowing: Bool
  }

  /// The name of the skin.
  let skin: String
  /// The appearance, with its origin.
  let appearance: String
  let barGround: RGBA
  let barText: RGBA
  let paper: RGBA
  let ink: RGBA
  let muted: RGBA
  let accent: RGBA
  let rows: [Row]
  /// The Swift code of the last action, and its outcome.
  let code: String
  let outcome: String
  /// The lines of the panel if it is open.
  let panel: [String]
}
