public import EventBus
internal import Synchronization

/// A property wrapper by which a view follows the theme.
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
/// - Setting a map subscribes the view and applies the theme in use before the assignment returns.
/// - Setting another map replaces the first; the view then comes last in the order of subscription.
/// - Setting `nil` ends the subscription. The view keeps its current values.
/// - The death of the view ends the subscription, which is stored in the view. No `deinit` is
///   necessary.
///
/// `@Themed` follows ``ThemeManager/shared``, and `@Themed(manager)` follows another manager. To choose
/// a manager for each view, write `_themeMap = Themed(manager)` in its `init`. The manager of a
/// ``ThemeMap/scoped(_:)`` map takes precedence.
///
/// The wrapper works in classes only; in a structure it does not compile. In a class that is not
/// isolated to the main actor, write `@MainActor @Themed var …`, because the main actor sets its
/// properties.
///
/// ## Thread safety
///
/// Set and read on the main actor. Use elsewhere does not compile or, in language mode 5, traps with
/// the name of the property. The view may be released on any thread.
@propertyWrapper
public struct Themed<Object: AnyObject> {
  /// The manager, or `nil` for ``ThemeManager/shared``.
  @usableFromInline let manager: ThemeManager?
  @usableFromInline var map: ThemeMap<Object>?
  @usableFromInline var token: Token?

  /// Creates a property that follows ``ThemeManager/shared`` once a map is set.
  public init() { manager = nil }

  /// Creates a property that follows a manager once a map is set.
  ///
  /// - Parameter manager: The manager. The view keeps a strong reference to it.
  public init(_ manager: ThemeManager) { self.manager = manager }

  /// Not available by itself: the compiler uses the subscript with the enclosing instance.
  ///
  /// It is isolated to the main actor, and so is every property that has the wrapper.
  @available(*, unavailable, message: "@Themed is for properties of classes")
  @MainActor
  public var wrappedValue: ThemeMap<Object>? {
    get { nil }
    set {}
  }

  /// Accesses the map of an instance; called by the compiler.
  ///
  /// - Parameters:
  ///   - object: The instance.
  ///   - wrapped: The property.
  ///   - storage: The storage of the property.
  ///
  /// Inlined, so that the optimizer sees the properties behind the key paths.
  @MainActor
  @inlinable
  public static subscript(
    _enclosingInstance object: Object,
    wrapped wrapped: ReferenceWritableKeyPath<Object, ThemeMap<Object>?>,
    storage storage: ReferenceWritableKeyPath<Object, Themed>
  ) -> ThemeMap<Object>? {
    @inline(__always)
    get {
      MainActor.require(property(storage))
      return object[keyPath: storage].map
    }
    @inline(__always)
    set {
      MainActor.require(property(storage))
      replaceMap(by: newValue, of: object, with: object[keyPath: storage].manager) { map, token in
        object[keyPath: storage].exchange(map, token)
      }
    }
  }

  /// Replaces the map of an object and its subscription.
  ///
  /// The storage is accessed for the exchanges only, and its former contents are released last: code that their
  /// release triggers may set the map again, and the later assignment wins, as for any property.
  ///
  /// - Parameters:
  ///   - new: The new map.
  ///   - object: The object.
  ///   - manager: The manager that themes the object unless its map is ``ThemeMap/scoped(_:)``.
  ///   - exchange: Stores a map and a token, and returns the former ones.
  @MainActor
  @inlinable
  static func replaceMap<Target: AnyObject>(
    by new: ThemeMap<Target>?,
    of object: Target,
    with manager: ThemeManager?,
    _ exchange: (ThemeMap<Target>?, Token?) -> Themed
  ) {
    let former = exchange(new, nil)
    former.token?.cancel()
    if let new {
      (new.manager ?? manager ?? .shared).subscribe(object, new) { token in
        let meanwhile = exchange(new, token)
        meanwhile.token?.cancel()
      }
    }
    withExtendedLifetime(former) {}
  }

  /// Returns the name of the property with this storage, which is named after it.
  @usableFromInline
  static func property(_ storage: AnyKeyPath) -> String {
    let type = "\(Object.self)"
    let name = "\(storage)".split(separator: ".").last.map { $0.drop { $0 == "_" } } ?? ""
    return name.isEmpty || name.contains("<") ? "a themed property of \(type)" : "\(type).\(name)"
  }

  /// Stores a map and a token, and returns the former ones.
  @inlinable
  mutating func exchange(_ newMap: ThemeMap<Object>?, _ newToken: Token?) -> Themed {
    let former = self
    map = newMap
    token = newToken
    return former
  }
}

@available(*, unavailable)
extension Themed: Sendable {}

extension MainActor {
  /// The thread last found to run the main actor.
  private static let knownThread = Atomic<UInt>(0)

  /// Traps if a program in language mode 5 uses a property off the main actor.
  ///
  /// The language's own check also stops such a program, but without a reason.
  ///
  /// - Parameter property: The name of the property in use.
  @usableFromInline
  static func require(_ property: @autoclosure () -> String) {
    let thread = currentThreadID()
    if knownThread.load(ordering: .relaxed) != thread {
      guard isCurrent else {
        trap(
          "The property \(property()) was used off the main actor",
          remedy: "Set and read it from code that is isolated to @MainActor"
        )
      }
      knownThread.store(thread, ordering: .relaxed)
    }
    // The main actor may have left the thread in the meantime.
    MainActor.preconditionIsolated()
  }

  /// True if the caller runs on the main actor.
  ///
  /// An immediate task starts synchronously only if the caller runs there. On older systems, the
  /// language's check decides.
  private static var isCurrent: Bool {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return true }
    let thread = currentThreadID()
    let hasBegunHere = Latch()
    _ = Task.immediate { @MainActor in
      // Off the main actor the task is queued, and may already run on another thread.
      if currentThreadID() == thread { hasBegunHere.open() }
    }
    return hasBegunHere.isOpen
  }
}
