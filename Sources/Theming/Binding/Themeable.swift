/// An object that follows the theme: what ``Themed`` does, without a property wrapper.
///
/// ```swift
/// @MainActor
/// final class Badge: Themeable {
///   let themeSlot = ThemeSlot()
///   var ink = RGBA(red: 0, green: 0, blue: 0)
/// }
///
/// let badge = Badge()
/// badge.themes = [.set(\.ink, .ink)]  // subscribes, applies now
/// ```
///
/// Setting `nil` ends it.
///
/// ``Themed`` rests on a feature of the language that has no final name yet, the subscript that a
/// property wrapper finds its object by. Whoever would rather not, writes one stored line.
public protocol Themeable: AnyObject {
  /// Holds the object's subscription; write `let themeSlot = ThemeSlot()`.
  ///
  /// It must be one and the same slot each time, of this object alone.
  var themeSlot: ThemeSlot { get }
}

extension Themeable {
  /// The map by which the object follows the theme.
  ///
  /// Its setter does everything, as that of ``Themed``.
  ///
  /// - Setting a map subscribes the object and hands it the theme in use, before the assignment
  ///   returns.
  /// - Setting another map replaces the first; the object then comes last in the order of
  ///   subscription.
  /// - Setting `nil` ends it. The object keeps the look it has.
  /// - When the object dies, so does the subscription: it lives in the slot. No `deinit` is written.
  ///
  /// An object of a subclass has one map, whichever static type it is read and set through. Given to
  /// another object, the rules that were written for a class that the other one is not of are left
  /// out.
  ///
  /// Use off the main actor, where a program in language mode 5 compiles it, traps.
  @MainActor public var themes: ThemeMap<Self>? {
    get {
      MainActorCheck.require("\(Self.self).themes")
      return themeSlot.map(of: Self.self)
    }
    set {
      MainActorCheck.require("\(Self.self).themes")
      themeSlot.set(newValue, for: self)
    }
  }
}
