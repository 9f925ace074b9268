/// A property that reports each change to its observers, with the old and the new value.
///
/// ```swift
/// @MainActor final class Account {
///   @Observed var balance = 0
///   @Observed var owner = "Ada"
///   @Observed private(set) var history: [Int] = []
///   @Observed(notifies: .manually) private(set) var visits = 0
///
///   func record() { _history.append(balance) }
///
///   func visit(times: Int) {
///     let old = visits
///     visits += times
///     _visits.notifyChange(from: old)
///   }
/// }
/// ```
///
/// ```swift
/// @MainActor final class Screen {
///   var text = ""
/// }
///
/// let account = Account()
/// let screen = Screen()
/// account.$balance.observe(owner: screen) { screen, change in
///   screen.text = "\(change.old) → \(change.new)"
/// }
/// account.balance = 5
/// ```
///
/// An assignment takes these steps:
///
/// 1. Validators may replace or decline the value.
/// 2. A value equal to the current one ends the assignment.
/// 3. Observers with `prior: true` are called while the property still has the old value.
/// 4. The property stores the value.
/// 5. Observers are called in registration order, with the exact old and new value.
/// 6. Computed values that depend on the property notify their observers.
///
/// An observer may set the property. The value is stored at once; the change is reported after every
/// observer has received the current one. Observer calls never nest, and each observer sees an unbroken
/// chain of changes.
///
/// Declare properties in classes and actors, or as local variables. A property is an object, so copies of a structure
/// would share it: setting it in one copy sets it in all, even if that is a constant. The compiler accepts this.
///
/// The property and its observers may be released in any order, an object may observe itself, and
/// cancelling twice is harmless.
///
/// ## Thread safety
///
/// A property is not `Sendable`. Its value, its handlers and their captures belong to the isolation domain
/// of the object that declares it; the compiler enforces this, so the property needs no lock. Tokens may
/// be cancelled on any thread. A cancelled handler is not called again; it is released inside the domain,
/// when the property is next set, mutated or observed, or is deinitialized. Reading the property releases nothing.
@propertyWrapper
public final class Observed<Value> {
  @usableFromInline let cell: ValueCell<Value>
  /// The registrations; `nil` until the first one.
  @usableFromInline private(set) var observers: PropertyObservers<Value>?
  /// Returns whether two values are equal; `false` if values cannot be compared.
  ///
  /// Not optional, because binding an optional closure retains it.
  private let areEqual: (Value, Value) -> Bool
  /// True if NaN counts as equal to NaN; only a property that has observers looks up what
  /// that means for its type.
  private let knowsNaN: Bool
  @usableFromInline let notifies: Notifies

  /// Creates a property that does not report a value equal to its current one.
  ///
  /// NaN counts as equal to NaN: as the value, in a vector such as `SIMD2<Double>`, and in optionals, arrays and the values
  /// of dictionaries, nested in any way, of the numbers of the standard library. For everything else `==` decides: if
  /// the numbers in a structure may be NaN, pass a predicate to ``init(wrappedValue:comparing:notifies:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - notifies: A value that selects automatic or manual reports.
  ///   - fileID: The source file of the property; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  @inlinable
  public convenience init(
    wrappedValue: Value,
    notifies: Notifies = .automatically,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) where Value: Equatable {
    self.init(wrappedValue, { $0 == $1 }, knowsNaN: true, notifies, at: (fileID, line))
  }

  /// Creates a property that reports every assignment.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - notifies: A value that selects automatic or manual reports.
  ///   - fileID: The source file of the property; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  @inlinable
  @_disfavoredOverload
  public convenience init(
    wrappedValue: Value,
    notifies: Notifies = .automatically,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(wrappedValue, { _, _ in false }, notifies, at: (fileID, line))
  }

  /// Creates a property that ignores values that a predicate considers equal.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - areEqual: Returns whether two values are equal. A value equal to the current one is not reported; while the
  ///     property has observers, it is not even stored. It must distinguish all values that readers can distinguish.
  ///   - notifies: A value that selects automatic or manual reports.
  ///   - fileID: The source file of the property; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  @inlinable
  public convenience init(
    wrappedValue: Value,
    comparing areEqual: @escaping (Value, Value) -> Bool,
    notifies: Notifies = .automatically,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(wrappedValue, areEqual, notifies, at: (fileID, line))
  }

  @usableFromInline
  init(
    _ value: Value,
    _ areEqual: @escaping (Value, Value) -> Bool,
    knowsNaN: Bool = false,
    _ notifies: Notifies,
    at site: PropertySite
  ) {
    cell = ValueCell(value, at: site)
    (self.areEqual, self.knowsNaN) = (areEqual, knowsNaN)
    self.notifies = notifies
  }

  deinit { observers?.close() }

  /// The value.
  ///
  /// Mutating it in place, as in `items.append(item)`, copies nothing unless a validator or an observer
  /// needs the old value. Every mutation in place is reported, even if it throws.
  ///
  /// - Complexity: O(1) to get. O(*n*) in the number of observers to set, without allocation.
  @inlinable
  public var wrappedValue: Value {
    get { storage }
    set {
      if cell.isObserved { assign(newValue) } else { _ = cell.exchange(newValue) }
    }
    _modify {
      // A single `yield`: with several, clients could not inline the accessor.
      let observers = cell.isObserved ? observers : nil
      let old = observers.flatMap { $0.needsOldValue ? Optional(storage) : nil }
      defer { if let observers { finishMutation(from: old, observers) } }
      yield &storage
    }
  }

  /// A view of the property for reading and observing it.
  ///
  /// - Complexity: O(1), without allocation.
  @inlinable
  public var projectedValue: ReadOnly { readOnly }

  /// The source site of the property.
  @usableFromInline var propertySite: PropertySite { cell.site }

  /// The value, mutable in place.
  @inlinable
  var storage: Value {
    get { cell.value }
    _modify { yield &cell.value }
  }

  /// The registrations, created on first use.
  func neededObservers() -> PropertyObservers<Value> {
    if let observers { return observers }
    let numbers = knowsNaN ? numberSameness(of: Value.self) : nil
    let made = PropertyObservers<Value>(
      propertySite,
      areEqual: numbers ?? areEqual,
      equalsMayDiffer: !knowsNaN
    )
    observers = made
    cell.observer = ObjectAddress.of(made)
    return made
  }

  /// The registrations, swept, for a caller that then reads the value and adds a registration.
  ///
  /// What a sweep releases may set the property, so a value that was read before may be out of date.
  func observersToJoin() -> PropertyObservers<Value> {
    let observers = neededObservers()
    observers.sweepOwners()
    return observers
  }
}

extension Observed: ObservedProperty {
  /// The current value.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var value: Value { storage }

  /// A view of the property for reading and observing it.
  ///
  /// - Complexity: O(1), without allocation.
  @inlinable
  public var readOnly: ReadOnly { ReadOnly(self) }
}

extension ObservedProperty {
  /// The number of slots in use, including those of registrations whose owners have died.
  package var observerSlotCount: Int { readOnly.property.observers?.slots.count ?? 0 }
}

@available(*, unavailable)
extension Observed: Sendable {}

/// The way in which changes of a property are reported.
public enum Notifies: Hashable, Sendable {
  /// The property reports every assignment.
  case automatically
  /// Assignments store silently; the owner reports changes with ``Observed/notifyChange(from:)``.
  ///
  /// Use it for properties that change together, or if only the owner knows when a change is complete.
  case manually
}

/// A value of one isolation domain whose exclusivity is enforced by a flag.
///
/// For a stored property of a class, the compiler's exclusivity check calls into the runtime on every
/// access; here the check is a branch. The rule is the same: accessing the value while it is being mutated
/// in place traps.
@safe @usableFromInline
final class ValueCell<Value> {
  @exclusivity(unchecked) @usableFromInline var content: Value
  @exclusivity(unchecked) @usableFromInline var isLent = false
  @exclusivity(unchecked) @usableFromInline var address: UInt = 0
  /// The source site of the property, for messages.
  let site: PropertySite

  init(_ value: Value, at site: PropertySite) {
    unsafe content = value  // Reason: initialization; no other access exists.
    self.site = site
  }

  @inlinable
  var isObserved: Bool { unsafe address != 0 }  // Reason: an instantaneous read.

  /// The address of the observers, which the cell's owner retains; zero without observers.
  @inlinable
  var observer: UInt {
    get { unsafe address }  // Reason: an instantaneous read.
    set { unsafe address = newValue }  // Reason: an instantaneous write.
  }

  /// The value; a mutation in place has exclusive access until it ends.
  @inlinable
  var value: Value {
    get {
      if unsafe isLent { trapOnNestedAccess() }  // Reason: an instantaneous read.
      return unsafe content  // Reason: no mutation is in progress.
    }
    _modify {
      if unsafe isLent { trapOnNestedAccess() }  // Reason: an instantaneous read.
      unsafe isLent = true  // Reason: an instantaneous write.
      defer { unsafe isLent = false }  // Reason: as above.
      yield unsafe &content  // Reason: the flag excludes every other access.
    }
  }

  /// The value, or `nil` while it is being mutated in place.
  var settled: Value? {
    unsafe isLent ? nil : content  // Reason: read only while no mutation is in progress.
  }

  /// Stores a value.
  ///
  /// The caller releases the old value after the access has ended, because a deinitializer may read the
  /// cell.
  ///
  /// - Returns: The old value.
  @inlinable
  func exchange(_ value: Value) -> Value {
    if unsafe isLent { trapOnNestedAccess() }  // Reason: an instantaneous read.
    var value = value
    unsafe swap(&content, &value)  // Reason: runs no foreign code.
    return value
  }

  @usableFromInline
  func trapOnNestedAccess() -> Never {
    trap(
      "The property at \(site.fileID):\(site.line) was accessed while it was being mutated in place",
      remedy: "Inside the mutation, use only the value that is being mutated",
      fileID: site.fileID,
      line: site.line
    )
  }
}

@available(*, unavailable)
extension ValueCell: Sendable {}
