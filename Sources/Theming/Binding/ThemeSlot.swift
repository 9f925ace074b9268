internal import EventBus

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
  internal func map<Object>(of type: Object.Type) -> ThemeMap<Object>? {
    map.map { $0 as? ThemeMap<Object> ?? ThemeMap(converting: $0) }
  }

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
