internal import EventBus

/// Where an object keeps the map by which it follows a theme, and its subscription; see
/// ``Themeable``.
///
/// ## Thread safety
///
/// Created anywhere, used on the main actor, released on any thread.
@MainActor
public final class ThemeSlot {
  /// The map, of the type of the object that has the slot.
  private var map: Any?
  private var token: Token?
  private let manager: ThemeManager?

  /// Creates an empty slot.
  ///
  /// - Parameter manager: The manager that themes the object, unless its map is
  ///   ``ThemeMap/scoped(_:)``; `nil` for ``ThemeManager/shared``. The slot keeps it.
  public nonisolated init(_ manager: ThemeManager? = nil) { self.manager = manager }

  /// The map that was set last, or `nil`.
  internal func map<Object>(of type: Object.Type) -> ThemeMap<Object>? { map as? ThemeMap<Object> }

  /// Replaces the map, and the subscription with it.
  ///
  /// What was in the slot is let go of at the very end: whatever that sets off may come back here, and
  /// has the last word, as it would in any property.
  internal func set<Object: AnyObject>(_ new: ThemeMap<Object>?, for object: Object) {
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
  private func exchange(_ newMap: Any?, _ newToken: Token?) -> (map: Any?, token: Token?) {
    let former = (map: map, token: token)
    map = newMap
    token = newToken
    return former
  }
}
