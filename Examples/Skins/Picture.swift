import Theming

/// The visible state as values, which a canvas shows.
struct Picture: Sendable {
  /// A skin in the strip at the top.
  struct Skin: Sendable {
    let name: String
    /// The paper, the accent and the ink; empty if the skin is not there.
    let swatches: [RGBA]
    let isInUse: Bool
  }

  /// A row.
  struct Row: Sendable {
    let message: Message
    let card: RGBA
    let ink: RGBA
    let muted: RGBA
    let accent: RGBA
    let marker: String
    /// A Boolean value that indicates whether the row follows the skin.
    let isFollowing: Bool
    /// A Boolean value that indicates whether the last action called the row, a moment ago.
    var isLit = false
  }

  /// A view that follows the skin, in the second pane.
  struct Subscription: Sendable {
    let view: String
    let keys: [String]
    let isLit: Bool
  }

  /// A key that the last switch changed, in the second pane.
  struct Change: Sendable {
    let key: String
    let old: Value
    let new: Value
  }

  /// The value of a key.
  struct Value: Sendable, Equatable {
    let text: String
    /// The color, if the value is one.
    let color: RGBA?
  }

  /// The number of views that an action called, in words; and of the others.
  struct Reach: Sendable {
    let called: String
    let skipped: String
    /// A Boolean value that indicates whether the called views are highlighted.
    let isLit: Bool
  }

  /// The name of the skin in use.
  let skin: String
  let appearance: String
  let skins: [Skin]
  let barGround: RGBA
  let barText: RGBA
  let paper: RGBA
  let ink: RGBA
  let muted: RGBA
  let accent: RGBA
  let rows: [Row]
  /// The index of the selected row.
  let selection: Int?
  /// The number of subscriptions, and the reason for its change by the last action; empty without one.
  let subscriptions: Int
  let countStory: String
  /// The Swift code of the last action, and its outcome.
  let code: String
  let outcome: String
  /// The views that the last action called, if it called or skipped any.
  let reach: Reach?
  /// The lines of the panel if it is open.
  let panel: [String]
  let views: [Subscription]
  let changes: [Change]
  /// The code of the actions, the last one first.
  let history: [String]
}
