public import EventBus
internal import Synchronization

/// A property by which a view follows the theme: its setter does everything.
///
/// ```swift
/// @MainActor
/// final class Label {
///   var color = RGBA(red: 0, green: 0, blue: 0)
///   var corner = 0
///   @Themed var themeMap: ThemeMap<Label>?
/// }
///
/// let label = Label()
/// label.themeMap = [.set(\.color, .accent), .set(\.corner, .radius)]  // subscribes, applies now
/// label.themeMap = nil  // ends
/// ```
///
/// - Setting a map subscribes the view and hands it the theme in use, before the assignment
///   returns.
/// - Setting another map replaces the first; the view then comes last in the order of subscription.
/// - Setting `nil` ends it. The view keeps the look it has.
/// - When the view dies, so does the subscription: it lives in the view's storage. No `deinit` is
///   written.
///
/// `@Themed` follows ``ThemeManager/shared``, `@Themed(manager)` another one. To choose a manager
/// for each view, write `_themeMap = Themed(manager)` in its `init`. A map that is
/// ``ThemeMap/scoped(_:)`` brings its own.
///
/// It works in classes, and only there: in a structure it does not compile. A class that does not
/// belong to the main actor writes `@MainActor @Themed var …`, since its properties will be set
/// there.
///
/// ## Thread safety
///
/// Set and read on the main actor: elsewhere it does not compile, or, where a program in language mode
/// 5 compiles it, it traps with the name of the property. The view may be released on any thread.
@propertyWrapper
public struct Themed<Object: AnyObject> {
  /// The manager, or `nil` for the shared one.
  @usableFromInline let manager: ThemeManager?
  @usableFromInline var map: ThemeMap<Object>?
  @usableFromInline var token: Token?

  /// Follows ``ThemeManager/shared``, once a map is set.
  public init() { manager = nil }

  /// Follows a manager, once a map is set.
  ///
  /// - Parameter manager: The manager. The view keeps it.
  public init(_ manager: ThemeManager) { self.manager = manager }

  /// There is no property without an instance; see the subscript.
  ///
  /// It belongs to the main actor, and with it every property of this kind.
  @available(*, unavailable, message: "@Themed is for properties of classes")
  @MainActor
  public var wrappedValue: ThemeMap<Object>? {
    get { nil }
    set {}
  }

  /// Reads or sets the map of an instance; called by the compiler.
  ///
  /// - Parameters:
  ///   - object: The instance.
  ///   - wrapped: The property.
  ///   - storage: The storage behind it.
  ///
  /// Inlined, so that the optimiser sees the properties behind the key paths.
  @MainActor
  @inlinable
  public static subscript(
    _enclosingInstance object: Object,
    wrapped wrapped: ReferenceWritableKeyPath<Object, ThemeMap<Object>?>,
    storage storage: ReferenceWritableKeyPath<Object, Themed>
  ) -> ThemeMap<Object>? {
    @inline(__always)
    get {
      MainActorCheck.require(property(storage))
      return object[keyPath: storage].map
    }
    @inline(__always)
    set {
      MainActorCheck.require(property(storage))
      // The storage is open for the moment of an exchange only, and what was in it is let go at the
      // very end: whatever that sets off may come back here, and has the last word, as it would in
      // any property.
      let former = object[keyPath: storage].exchange(newValue, nil)
      former.token?.cancel()
      if let newValue {
        let manager = newValue.manager ?? object[keyPath: storage].manager ?? .shared
        manager.subscribe(object, newValue) { token in
          let meanwhile = object[keyPath: storage].exchange(newValue, token)
          meanwhile.token?.cancel()
        }
      }
      withExtendedLifetime(former) {}
    }
  }

  /// The name of the property with this storage, which is named after it.
  @usableFromInline
  static func property(_ storage: AnyKeyPath) -> String {
    let type = "\(Object.self)"
    let name = "\(storage)".split(separator: ".").last.map { $0.drop { $0 == "_" } } ?? ""
    return name.isEmpty || name.contains("<") ? "a themed property of \(type)" : "\(type).\(name)"
  }

  /// Takes a map and a token, and returns the former ones.
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

/// Traps, with a message, where a program in language mode 5 uses a property off the main actor.
///
/// The check of the language stops such a program, too, but does not say why.
@usableFromInline
enum MainActorCheck: Sendable {
  /// The thread that was last found to run the main actor.
  private static let knownThread = Atomic<UInt>(0)

  /// Stops the program off the main actor.
  ///
  /// - Parameter property: The name of the property that is used.
  @usableFromInline
  static func require(_ property: @autoclosure () -> String) {
    let thread = ThreadIdentity.current
    if knownThread.load(ordering: .relaxed) != thread {
      guard isOnMainActor else {
        trap(
          "\(property()) was used off the main actor",
          remedy: "Set and read it from code that is isolated to @MainActor"
        )
      }
      knownThread.store(thread, ordering: .relaxed)
    }
    // The main actor may have left the thread since.
    MainActor.preconditionIsolated()
  }

  /// Whether the caller runs on the main actor.
  ///
  /// A task that begins at once does so only there. Older systems leave the answer to the language.
  private static var isOnMainActor: Bool {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return true }
    let hasBegun = Latch()
    _ = Task.immediate { @MainActor in hasBegun.open() }
    return hasBegun.isOpen
  }
}
