import Theming

/// The area around the rows: the paper, the bar above, and the lines below.
@MainActor
final class FrameView {
  private let ledger: Ledger

  var paper = ThemeKeys.paper.defaultValue { didSet { ledger.note(self, "paper") } }
  var ink = ThemeKeys.ink.defaultValue { didSet { ledger.note(self, "ink") } }
  var muted = ThemeKeys.muted.defaultValue { didSet { ledger.note(self, "muted") } }
  var accent = ThemeKeys.accent.defaultValue { didSet { ledger.note(self, "accent") } }

  @Themed var themeMap: ThemeMap<FrameView>?

  /// The keys of its map, for the second pane.
  let keys = ["paper", "ink", "muted", "accent"]

  init(_ manager: ThemeManager, _ ledger: Ledger) {
    self.ledger = ledger
    _themeMap = Themed(manager)
    themeMap = [
      .set(\.paper, .paper), .set(\.ink, .ink), .set(\.muted, .muted), .set(\.accent, .accent),
    ]
  }
}
