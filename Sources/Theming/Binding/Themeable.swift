internal import EventBus

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

/// Where an object keeps the map by which it follows a theme, and its subscription; see
/// ``Themeable``.
///
/// ## Thread safety
///
/// Created anywhere, used on the main actor, released on any thread.
@MainActor
public final class ThemeSlot {
  /// The map, of the static type that it was set through.
  private var map: (any AnyThemeMap)?
  private var token: Token?
  private let manager: ThemeManager?

  /// Creates an empty slot.
  ///
  /// - Parameter manager: The manager that themes the object, unless its map is
  ///   ``ThemeMap/scoped(_:)``; `nil` for ``ThemeManager/shared``. The slot keeps it.
  public nonisolated init(_ manager: ThemeManager? = nil) { self.manager = manager }

  /// The map that was set last, or `nil`, whichever static type it was set through.
  func map<Object>(of type: Object.Type) -> ThemeMap<Object>? {
    map.map { $0 as? ThemeMap<Object> ?? ThemeMap(converting: $0) }
  }

  /// Replaces the map, and the subscription with it.
  ///
  /// What was in the slot is let go of at the very end: whatever that sets off may come back here, and
  /// has the last word, as it would in any property.
  func set<Object: AnyObject>(_ new: ThemeMap<Object>?, for object: Object) {
    let former = exchange(new, nil)
    former.token?.cancel()
    if let new {
      let manager = new.manager ?? self.manager ?? .shared
      manager.subscribe(object, new) { token in
        let meanwhile = exchange(new, token)
        meanwhile.token?.cancel()
      }
    }
    withExtendedLifetime(former) {}
  }

  /// Takes a map and a token, and returns the former ones.
  private func exchange(
    _ newMap: (any AnyThemeMap)?,
    _ newToken: Token?
  ) -> (map: (any AnyThemeMap)?, token: Token?) {
    let former = (map: map, token: token)
    map = newMap
    token = newToken
    return former
  }
}
