internal import EventBus

/// An object that follows the theme, as with ``Themed`` but without a property wrapper.
///
/// ```swift
/// extension ThemeKeys {
///   static let ink = ThemeKey("color.ink", default: RGBA(red: 30, green: 30, blue: 30))
/// }
///
/// @MainActor
/// final class Badge: Themeable {
///   let themeSlot = ThemeSlot()
///   var ink = RGBA(red: 0, green: 0, blue: 0)
/// }
///
/// let badge = Badge()
/// badge.themeMap = [.set(\.ink, .ink)]  // subscribes, applies now
/// ```
///
/// Setting `nil` ends the subscription.
///
/// ``Themed`` depends on a language feature without a final name: the subscript that gives a property
/// wrapper access to its enclosing instance. To avoid it, conform to this protocol, which needs one
/// stored property.
public protocol Themeable: AnyObject {
  /// The storage of the object's subscription; write `let themeSlot = ThemeSlot()`.
  ///
  /// The getter must return the same slot each time, and each object must have its own.
  var themeSlot: ThemeSlot { get }
}

extension Themeable {
  /// The map by which the object follows the theme.
  ///
  /// The setter behaves like that of ``Themed``:
  ///
  /// - Setting a map subscribes the object and applies the theme in use before the assignment
  ///   returns.
  /// - Setting another map replaces the first; the object then comes last in the order of
  ///   subscription.
  /// - Setting `nil` ends the subscription. The object keeps its current values.
  /// - The death of the object ends the subscription, which is stored in the slot. No `deinit` is
  ///   necessary.
  ///
  /// An object of a subclass has one map, regardless of the static type through which it is read
  /// and set. If the map is set for another object, rules for classes that the object does not
  /// inherit from are ignored.
  ///
  /// Use off the main actor traps in programs in language mode 5, which compile it.
  @MainActor public var themeMap: ThemeMap<Self>? {
    get {
      MainActor.require("\(Self.self).themeMap")
      return themeSlot.map(of: Self.self)
    }
    set {
      MainActor.require("\(Self.self).themeMap")
      themeSlot.set(newValue, for: self)
    }
  }
}

/// The storage of a theme map and its subscription; see ``Themeable``.
///
/// ## Thread safety
///
/// Create a slot anywhere and use it on the main actor. Any thread may release it.
@MainActor
public final class ThemeSlot {
  /// The map, regardless of the static type through which it was set, and its subscription.
  private var storage = Themed<AnyObject>()
  private let manager: ThemeManager?

  /// Creates an empty slot.
  ///
  /// - Parameter manager: The manager that themes the object unless its map is
  ///   ``ThemeMap/scoped(_:)``; `nil` for ``ThemeManager/shared``. The slot keeps a strong
  ///   reference to it.
  public nonisolated init(_ manager: ThemeManager? = nil) { self.manager = manager }

  /// Returns the map, regardless of the static type through which it was set.
  func map<Object>(of type: Object.Type) -> ThemeMap<Object>? {
    storage.map.map { ThemeMap(converting: $0) }
  }

  /// Replaces the map and its subscription.
  func set<Object: AnyObject>(_ new: ThemeMap<Object>?, for object: Object) {
    Themed<AnyObject>.replaceMap(by: new, of: object, with: manager) { map, token in
      storage.exchange(map.map { ThemeMap(converting: $0) }, token)
    }
  }
}
