/// Which properties of an object follow which keys of the theme.
///
/// ```swift
/// label.themeMap = [.set(\.color, .accent), .set(\.corner, .radius)]
/// ```
///
/// A value: it keeps no object and does nothing by itself. One map may serve any number of objects.
/// The rules are followed in the order in which they are written; when two set the same property,
/// the later one wins, and the earlier one is never followed.
///
/// A property and a part of it, as `style` and `style.width`, are two properties: set the whole or its
/// parts in one map, and not both. A view that is given the map gets all its values in the order of the
/// rules. A switch sets only the properties whose keys changed, in the same order, and where that sets the
/// whole, the part is that of the whole; so views that were given the map before and after the switch can
/// differ. The map cannot prevent it: key paths can be compared, but not asked whether one continues
/// another, and following every later rule at each switch would set properties whose keys did not change.
///
/// ## Thread safety
///
/// Deliberately not `Sendable`: it refers to properties of views, which belong to the main actor.
public struct ThemeMap<Object: AnyObject> {
  /// One line of a map.
  public struct Rule {
    @usableFromInline let body: ThemeRule

    @inlinable
    init(_ body: ThemeRule) { self.body = body }

    /// Sets a property to the value of a key, now and whenever it changes.
    ///
    /// - Parameters:
    ///   - property: The property. Evaluated twice, once to tell rules apart and once to set: the optimiser
    ///     looks through a key path that has one use only.
    ///   - key: The key, with the property's type of value.
    /// - Returns: The rule.
    @inlinable
    @inline(__always)
    public static func set<Value>(
      _ property: @autoclosure () -> ReferenceWritableKeyPath<Object, Value>,
      _ key: ThemeKey<Value>
    ) -> Rule {
      let path = property()
      return Rule(
        ThemeRule(key, property()) { object, box in
          known(object, as: Object.self)[keyPath: path] = ThemeValue<Value>.value(in: box)
        }
      )
    }
  }

  /// The rules, of which no two set the same property.
  let rules: [ThemeRule]

  /// The keys of the rules, each once.
  let keys: [ThemeKeys]

  /// Whether rules may have been written for another class, of which this object need not be.
  private let isConverted: Bool

  /// The manager that themes whoever follows this map, or `nil` for the follower's own.
  @usableFromInline private(set) var manager: ThemeManager?

  /// Creates a map from rules that were put together elsewhere.
  ///
  /// - Parameter rules: The rules, in the order in which they are to be followed.
  public init(_ rules: [Rule]) {
    var properties: Set<AnyKeyPath> = []
    let last = rules.reversed().filter { properties.insert($0.body.property).inserted }
    self.init(last.reversed().map(\.body), isConverted: false)
  }

  /// Creates the map of an object from one that was set through another static type of it.
  init(converting map: any AnyThemeMap) {
    self.init(map.rules, isConverted: true)
    manager = map.manager
  }

  private init(_ rules: [ThemeRule], isConverted: Bool) {
    self.rules = rules
    self.isConverted = isConverted
    var known: Set<ThemeKeys> = []
    keys = rules.map(\.key).filter { known.insert($0).inserted }
  }

  /// The map without the rules that were written for a class that an object is not of.
  func fitting(_ object: Object) -> ThemeMap {
    guard isConverted else { return self }
    return ThemeMap(rules.filter { $0.fits(object) }, isConverted: false)
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

/// A map, whatever its object.
protocol AnyThemeMap {
  var rules: [ThemeRule] { get }
  var manager: ThemeManager? { get }
}

extension ThemeMap: AnyThemeMap {}

extension ThemeMap: ExpressibleByArrayLiteral {
  /// Creates a map from the rules in brackets.
  public init(arrayLiteral rules: Rule...) { self.init(rules) }
}

@available(*, unavailable)
extension ThemeMap: Sendable {}

@available(*, unavailable)
extension ThemeMap.Rule: Sendable {}

/// One line of a map, whatever the object and the value: what becomes of an object when a key
/// changes.
///
/// The types are known where the rule is written, in the user's module. There the function is made,
/// and, since that is inlined, without a look at a key path or at metadata when it is called.
@usableFromInline
struct ThemeRule {
  /// The key whose changes matter.
  @usableFromInline let key: ThemeKeys

  /// The property that is set; its root is the class that the rule was written for.
  @usableFromInline let property: AnyKeyPath

  /// Hands the value in a box to the object: both are of the types that the rule was made for.
  @usableFromInline let write: (_ object: AnyObject, _ box: AnyObject) -> Void

  @inlinable
  init(
    _ key: ThemeKeys,
    _ property: AnyKeyPath,
    _ write: @escaping (AnyObject, AnyObject) -> Void
  ) {
    self.key = key
    self.property = property
    self.write = write
  }

  /// Whether an object is of the class that the rule was written for.
  func fits(_ object: AnyObject) -> Bool {
    func isInstance<Root>(_ root: Root.Type) -> Bool { object is Root }
    return _openExistential(type(of: property).rootType, do: isInstance)
  }
}

@available(*, unavailable)
extension ThemeRule: Sendable {}
