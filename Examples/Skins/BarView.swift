import Theming

/// The bar above the rows.
///
/// It uses ``Themeable`` instead of the property wrapper: one stored property and the same setter.
@MainActor
final class BarView: Themeable {
  let themeSlot = ThemeSlot()
  private let ledger: Ledger

  var ground = ThemeKeys.barGround.defaultValue { didSet { ledger.note(self, "ground") } }
  var text = ThemeKeys.barText.defaultValue { didSet { ledger.note(self, "text") } }

  /// The keys of its map, for the second pane.
  let keys = ["bar.ground", "bar.text"]

  init(_ manager: ThemeManager, _ ledger: Ledger) {
    self.ledger = ledger
    themeMap = ThemeMap([.set(\.ground, .barGround), .set(\.text, .barText)]).scoped(manager)
  }
}
