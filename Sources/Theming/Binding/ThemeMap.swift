/// The properties of an object and the theme keys they follow.
///
/// ```swift
/// extension ThemeKeys {
///   static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
///   static let radius = ThemeKey("corner.radius", default: 4)
/// }
///
/// @MainActor
/// final class Label {
///   var color = RGBA(red: 0, green: 0, blue: 0)
///   var corner = 0
///   @Themed var themeMap: ThemeMap<Label>?
/// }
///
/// let label = Label()
/// label.themeMap = [.set(\.color, .accent), .set(\.corner, .radius)]  // subscribes, applies now
/// ```
///
/// A map is a value: it references no object and has no effect by itself. One map can serve any
/// number of objects. Rules apply in the order in which they are written. If two rules set the same
/// property, the later one wins, and the earlier one is ignored.
///
/// A property and a part of it, such as `style` and `style.width`, are two properties: set the
/// whole or its parts in one map, but not both. A view that receives the map gets all values in the
/// order of the rules. A switch sets only the properties whose keys changed, in the same order; if
/// that sets the whole, the part has the value within the whole. Views that received the map before
/// and after the switch can therefore differ. The map cannot prevent this: key paths can be
/// compared, but not tested for being a prefix of another, and applying every later rule at each
/// switch would set properties whose keys did not change.
///
/// ## Thread safety
///
/// Deliberately not `Sendable`: a map refers to properties of views, which belong to the main
/// actor.
public struct ThemeMap<Object: AnyObject> {
  /// One rule of a map.
  public struct Rule {
    @usableFromInline let body: ThemeRule

    @inlinable
    init(_ key: AnyThemeKey, _ property: AnyKeyPath, _ write: @escaping ThemeRule.Write) {
      body = ThemeRule(key, property, write)
    }

    /// Sets a property to the value of a key, now and whenever the key changes.
    ///
    /// - Parameters:
    ///   - property: The property. The argument is evaluated twice, once to identify the rule and
    ///     once to set the property, because the optimizer sees through a key path only if it has a
    ///     single use.
    ///   - key: The key, which has the same type of value as the property.
    /// - Returns: The rule.
    @inlinable
    @inline(__always)
    public static func set<Value>(
      _ property: @autoclosure () -> ReferenceWritableKeyPath<Object, Value>,
      _ key: ThemeKey<Value>
    ) -> Rule {
      let path = property()
      return Rule(key, property()) { object, box, _ in
        // A key only ever maps to boxes of its own type, which is part of its identity.
        known(object, as: Object.self)[keyPath: path] = ThemeValue<Value>.value(in: box)
      }
    }

    /// Sets an optional property to the value of a key, now and whenever the key changes.
    ///
    /// - Parameters:
    ///   - property: The property. The argument is evaluated twice, as for a property that is not
    ///     optional.
    ///   - key: The key, which has the same type of value as the property without its `Optional`.
    /// - Returns: The rule.
    @inlinable
    @inline(__always)
    @_disfavoredOverload  // The compiler then describes a wrong type as if this did not exist.
    public static func set<Value>(
      _ property: @autoclosure () -> ReferenceWritableKeyPath<Object, Value?>,
      _ key: ThemeKey<Value>
    ) -> Rule {
      let path = property()
      return Rule(key, property()) { object, box, _ in
        // As above.
        known(object, as: Object.self)[keyPath: path] = ThemeValue<Value>.value(in: box)
      }
    }

    /// Sets a property to a value computed from that of a key, now and whenever the key changes.
    ///
    /// ```swift
    /// extension ThemeKeys {
    ///   static let paper = ThemeKey("color.paper", default: RGBA(red: 250, green: 250, blue: 250))
    /// }
    ///
    /// @MainActor
    /// final class Page {
    ///   var backgroundColor: String?
    ///   @Themed var themeMap: ThemeMap<Page>?
    /// }
    ///
    /// let page = Page()
    /// page.themeMap = [.set(\.backgroundColor, .paper) { $0.hex }]
    /// ```
    ///
    /// The transform is not called for changes of other keys. Other state that it reads is read at the
    /// time of the call, and a change of that state does not call it again: make such state a key, or
    /// set the map again.
    ///
    /// The transform may switch themes, and set or end the map. If its call leaves another value
    /// for the key, or ends or pauses the subscription, its result is not used.
    ///
    /// - Parameters:
    ///   - property: The property. The argument is evaluated twice, as for a rule without
    ///     transform.
    ///   - key: The key.
    ///   - transform: Computes the value of the property. Called on the main actor, once each time
    ///     the property is set, for each object; no lock is held. Where objects can share a costly result, let it
    ///     look the result up in a dictionary. If the property is optional, the transform may
    ///     return a value or an optional. The map keeps the closure and the view keeps the map, so
    ///     capture the view weakly or as `unowned`. The thread that releases the last copy of the
    ///     map, or ends the subscription, may destroy the closure.
    /// - Returns: The rule.
    @inlinable
    @inline(__always)
    public static func set<Value, Property>(
      _ property: @autoclosure () -> ReferenceWritableKeyPath<Object, Property>,
      _ key: ThemeKey<Value>,
      _ transform: @escaping (Value) -> Property
    ) -> Rule {
      let path = property()
      return Rule(key, property()) { object, box, isCurrent in
        let result = transform(ThemeValue<Value>.value(in: box))
        guard isCurrent(key, box) else { return }
        known(object, as: Object.self)[keyPath: path] = result
      }
    }
  }

  /// The rules, at most one for each property.
  let rules: [ThemeRule]

  /// The keys of the rules, each once.
  let keys: [AnyThemeKey]

  /// The class whose properties the rules set.
  private let origin: Any.Type

  /// The manager that themes the users of this map, or `nil` for each user's own manager.
  @usableFromInline private(set) var manager: ThemeManager?

  /// Creates a map from an array of rules.
  ///
  /// - Parameter rules: The rules, in the order in which they apply.
  public init(_ rules: [Rule]) {
    var properties: Set<AnyKeyPath> = []
    let last = rules.reversed().filter { properties.insert($0.body.property).inserted }
    self.init(last.reversed().map(\.body))
  }

  private init(_ rules: [ThemeRule]) {
    self.rules = rules
    origin = Object.self
    var known: Set<AnyThemeKey> = []
    keys = rules.map(\.key).filter { known.insert($0).inserted }
  }

  /// Creates a map that is used through one static type from one that was set through another.
  init<Other>(converting map: ThemeMap<Other>) {
    rules = map.rules
    keys = map.keys
    origin = map.origin
    manager = map.manager
  }

  /// Returns the map without rules for classes that an object does not inherit from.
  func fitting(_ object: Object) -> ThemeMap {
    origin == Object.self ? self : ThemeMap(rules.filter { $0.fits(object) })
  }

  /// Returns a map with the same rules and the values of a given manager.
  ///
  /// That manager, often a scope, themes every view that uses the map, and takes precedence over
  /// the view's own manager.
  ///
  /// - Parameter manager: The manager. The map keeps a strong reference to it, and so does every
  ///   view that uses the map.
  /// - Returns: The new map.
  public func scoped(_ manager: ThemeManager) -> ThemeMap {
    var map = self
    map.manager = manager
    return map
  }
}

extension ThemeMap: ExpressibleByArrayLiteral {
  /// Creates a map from an array literal of rules.
  public init(arrayLiteral rules: Rule...) { self.init(rules) }
}

@available(*, unavailable)
extension ThemeMap: Sendable {}

@available(*, unavailable)
extension ThemeMap.Rule: Sendable {}

/// One rule of a map with type-erased object and value.
///
/// The types are known where the rule is written, in the client's module. The closure is created
/// there and inlined, so calling it needs neither key paths nor metadata.
@usableFromInline
struct ThemeRule {
  /// The key that the rule follows.
  @usableFromInline let key: AnyThemeKey

  /// The property that the rule sets; its root is the class the rule was written for.
  @usableFromInline let property: AnyKeyPath

  /// Sets the property of an object to the value in a box; both must have the types that the rule
  /// was created for.
  ///
  /// A rule with a transform calls `isCurrent` after it, with its key and the box, and sets the
  /// property only if the value in the box is still the one to apply.
  @usableFromInline
  typealias Write = (
    _ object: AnyObject, _ box: AnyObject, _ isCurrent: (AnyThemeKey, AnyObject) -> Bool
  ) -> Void

  /// Sets the property; see ``Write``.
  @usableFromInline let write: Write

  @inlinable
  init(_ key: AnyThemeKey, _ property: AnyKeyPath, _ write: @escaping Write) {
    self.key = key
    self.property = property
    self.write = write
  }

  /// Returns whether an object is an instance of the class the rule was written for.
  func fits(_ object: AnyObject) -> Bool {
    func isInstance<Root>(_ root: Root.Type) -> Bool { object is Root }
    return _openExistential(type(of: property).rootType, do: isInstance)
  }
}

@available(*, unavailable)
extension ThemeRule: Sendable {}
