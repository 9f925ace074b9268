/// What a scope changes of the theme of the manager it was made from, whichever that is.
internal struct ThemeOverlay: Sendable {
  private var layer: ThemeLayer
  private let name: String?
  private let appearance: Appearance?

  /// Takes what an edited theme says itself, and its name and appearance if they were changed.
  ///
  /// - Parameters:
  ///   - edited: The theme as it is to look.
  ///   - base: The theme that it lies over.
  internal init(_ edited: Theme, over base: Theme) {
    layer = edited.stack.own
    name = edited.name == base.name ? nil : edited.name
    appearance = edited.appearance == base.appearance ? nil : edited.appearance
  }

  /// The theme of a scope that changes nothing yet.
  internal static func blank(over base: Theme) -> Theme {
    base.deriving(base.name) { _ in }
  }

  /// The theme of the scope, over a theme of the manager above.
  internal func laid(over base: Theme) -> Theme {
    var own = layer
    own.name = name ?? "\(base.name), scoped"
    return Theme(name ?? base.name, appearance ?? base.appearance, base.stack.adding(own))
  }
}
