/// A property that does not keep its object, becomes `nil` when the object's lifetime ends, and says so.
///
/// ```swift
/// @MainActor final class Desk {
///   @WeakObserved var visitor: Visitor?
/// }
/// ```
///
/// Its observers are told of the end on the thread that let the object go, or on their actor. The object
/// is being torn down then: in the change that reports its end ``Change/old`` is `nil`, too, unless the
/// lifetime was ended by hand while the object lives. Likewise an object that has died before a change
/// was delivered is `nil` in that change, and the report of its end follows.
///
/// Setting the object that is there already is not reported.
///
/// ## Thread safety
///
/// Every member may be called on any thread. Handlers are called, and what they captured is released,
/// under no lock, where they were written, as with ``SharedObserved``.
@propertyWrapper
public final class WeakObserved<Referent: LifetimeOwner & Sendable>: Sendable {
  internal let core: SharedCore<WeakReferent<Referent>>
  private let cell: WeakReferentCell<Referent>

  /// Creates a property.
  ///
  /// - Parameters:
  ///   - wrappedValue: The object to begin with.
  ///   - fileID: Where the property was written; filled in by the compiler.
  ///   - line: Its line.
  public init(
    wrappedValue: Referent? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    core = SharedCore(
      WeakReferent(nil),
      areEqual: WeakReferent.areSame,
      fileID: fileID,
      line: line
    )
    cell = WeakReferentCell(core)
    if wrappedValue != nil { self.wrappedValue = wrappedValue }
  }

  deinit {
    cell.cut()
    core.close()
  }

  /// The object, or `nil`.
  ///
  /// An object whose lifetime has ended cannot be set: the property is `nil` at once.
  ///
  /// - Complexity: O(1), one lock; setting is O(*n*) in the number of observers.
  public var wrappedValue: Referent? {
    get { core.value.object }
    set {
      let referent = WeakReferent(newValue)
      core.set(referent)
      if let newValue { referent.clear(cell, at: newValue.lifetime) }
      // So far, so that comparing cannot be the last to release it.
      withExtendedLifetime(newValue) {}
    }
  }

  /// The property itself, to be observed.
  public var projectedValue: WeakObserved<Referent> { self }

  /// How many changes have been merged with a neighbour, as with ``SharedObserved/mergedCount``.
  ///
  /// - Complexity: O(1).
  public var mergedCount: Int { core.mergedCount }

  /// Ends all registrations of an owner.
  ///
  /// - Parameter owner: The object they belong to.
  /// - Complexity: O(*n*) in the number of observers.
  public func unobserve<Owner: AnyObject>(owner: Owner) {
    core.endAll { $0.belongs(to: owner, as: nil) }
  }
}
