/// Which properties of an object follow which keys of the theme.
///
/// ```swift
/// label.themeMap = [.set(\.color, .accent), .set(\.corner, .radius)]
/// ```
///
/// A value: it keeps no object and does nothing by itself. One map may serve any number of objects.
/// The rules are followed in the order in which they are written; when two set the same property,
/// the later one wins.
///
/// ## Thread safety
///
/// Deliberately not `Sendable`: it refers to properties of views, which belong to the main actor.
public struct ThemeMap<Object: AnyObject> {
  /// One line of a map.
  public struct Rule {
    @usableFromInline internal let body: ThemeRule

    @inlinable
    internal init(_ body: ThemeRule) { self.body = body }

    /// Sets a property to the value of a key, now and whenever it changes.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - key: The key, with the property's type of value.
    /// - Returns: The rule.
    @inlinable
    @inline(__always)
    public static func set<Value>(
      _ property: ReferenceWritableKeyPath<Object, Value>,
      _ key: ThemeKey<Value>
    ) -> Rule {
      Rule(
        ThemeRule(key) { object, box in
          known(object, as: Object.self)[keyPath: property] = ThemeValue<Value>.value(in: box)
        }
      )
    }
  }

  internal let rules: [ThemeRule]

  /// The keys of the rules, each once.
  internal let keys: [ThemeKeys]

  /// The manager that themes whoever follows this map, or `nil` for the follower's own.
  @usableFromInline internal private(set) var manager: ThemeManager?

  /// Creates a map from rules that were put together elsewhere.
  ///
  /// - Parameter rules: The rules, in the order in which they are to be followed.
  public init(_ rules: [Rule]) {
    self.rules = rules.map(\.body)
    var known: Set<ThemeKeys> = []
    keys = rules.map(\.body.key).filter { known.insert($0).inserted }
  }

  /// The same rules, with the values of a certain manager.
  ///
  /// That manager, often a scope, themes every view that is given this map, whatever manager the
  /// view has of its own.
  ///
  /// - Parameter manager: The manager. The map keeps it, and so does a view that has the map.
  /// - Returns: The new map.
  public func scoped(_ manager: ThemeManager) -> ThemeMap {
    var map = self
    map.manager = manager
    return map
  }
}

extension ThemeMap: ExpressibleByArrayLiteral {
  /// Creates a map from the rules in brackets.
  public init(arrayLiteral rules: Rule...) { self.init(rules) }
}

@available(*, unavailable)
extension ThemeMap: Sendable {}

@available(*, unavailable)
extension ThemeMap.Rule: Sendable {}
