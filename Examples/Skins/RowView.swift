import Theming

/// A row of the mailbox.
///
/// One property makes the row follow the skin. No `deinit` or other code manages the subscription.
@MainActor
final class RowView {
  let message: Message
  private let ledger: Ledger

  var card = ThemeKeys.card.defaultValue { didSet { ledger.note(self, "card") } }
  var ink = ThemeKeys.ink.defaultValue { didSet { ledger.note(self, "ink") } }
  var muted = ThemeKeys.muted.defaultValue { didSet { ledger.note(self, "muted") } }
  var accent = ThemeKeys.accent.defaultValue { didSet { ledger.note(self, "accent") } }
  var marker = ThemeKeys.marker.defaultValue { didSet { ledger.note(self, "marker") } }
  var corner = ThemeKeys.corner.defaultValue { didSet { ledger.note(self, "corner") } }

  @Themed var themeMap: ThemeMap<RowView>?

  init(_ message: Message, _ manager: ThemeManager, _ ledger: Ledger) {
    self.message = message
    self.ledger = ledger
    _themeMap = Themed(manager)
  }

  /// The map of all rows.
  static let map: ThemeMap<RowView> = [
    .set(\.card, .card), .set(\.ink, .ink), .set(\.muted, .muted), .set(\.corner, .corner),
  ]

  /// The map of unread rows, which are marked in the accent color.
  static let unreadMap: ThemeMap<RowView> = [
    .set(\.card, .card), .set(\.ink, .ink), .set(\.muted, .muted), .set(\.corner, .corner),
    .set(\.accent, .accent), .set(\.marker, .marker),
  ]

  /// The map for its message.
  var map: ThemeMap<RowView> { message.isUnread ? Self.unreadMap : Self.map }

  /// The keys of its map, for the second pane.
  var keys: [String] {
    let common = ["card", "ink", "muted", "corner"]
    return message.isUnread ? common + ["accent", "marker"] : common
  }

  /// Returns the current look of the row.
  ///
  /// - Parameter isLit: A Boolean value that indicates whether the row was just called.
  /// - Returns: The look.
  func picture(isLit: Bool) -> Picture.Row {
    Picture.Row(
      message: message,
      card: card,
      ink: ink,
      muted: muted,
      accent: accent,
      marker: marker,
      isFollowing: themeMap != nil,
      isLit: isLit
    )
  }
}
