/// A property that tells its observers what it was and what it is.
///
/// ```swift
/// @MainActor final class Account {
///   @Observed var balance = 0
///   @Observed var owner = "Ada"
///   @Observed var history: [Int] = []
///   @Observed(notifies: .manually) var visits = 0
/// }
/// ```
///
/// ```swift
/// account.$balance.observe(owner: screen) { screen, change in
///   screen.text = "\(change.old) → \(change.new)"
/// }
/// account.balance = 5
/// ```
///
/// One assignment goes through these steps: validators may replace or decline the value; a value equal to
/// the present one ends it; observers with ``ObserveOptions/prior`` are told while the property still has
/// the old value; the value is stored; observers are called in the order of their registration, with the
/// exact old and new value; computed values that depend on it follow.
///
/// An observer may set the property: the value is stored at once, and its observers are told when the
/// present change has been told to all. Observers never nest, and each sees an unbroken chain of changes.
///
/// Either side may die first, an object may observe itself, and cancelling twice is harmless.
///
/// ## Thread safety
///
/// A property is not `Sendable`: its value, and its handlers with all they captured, belong to the
/// isolation domain of the object that has it, and the compiler sees to it. So there is no lock. Tokens
/// may be cancelled on any thread; a cancelled handler is not called any more, and is destroyed inside
/// the domain when the property is used next, or dies.
@propertyWrapper
public final class Observed<Value> {
  @usableFromInline let cell: ValueCell<Value>
  /// Who observes; `nil` until somebody does, and never again.
  @usableFromInline private(set) var observers: PropertyObservers<Value>?
  @usableFromInline let areEqual: ((Value, Value) -> Bool)?
  @usableFromInline let notifies: Notifies

  /// Creates a property that does not report a value equal to the one it has.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - notifies: Who reports changes.
  ///   - fileID: Where the property is written; filled in by the compiler.
  ///   - line: Its line.
  @inlinable
  public convenience init(
    wrappedValue: Value,
    notifies: Notifies = .automatically,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) where Value: Equatable {
    self.init(wrappedValue, { $0 == $1 }, notifies, fileID: fileID, line: line)
  }

  /// Creates a property that reports every value it is set to.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - notifies: Who reports changes.
  ///   - fileID: Where the property is written; filled in by the compiler.
  ///   - line: Its line.
  @inlinable
  @_disfavoredOverload
  public convenience init(
    wrappedValue: Value,
    notifies: Notifies = .automatically,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(wrappedValue, nil, notifies, fileID: fileID, line: line)
  }

  /// Creates a property that does not report values that are alike.
  ///
  /// - Parameters:
  ///   - wrappedValue: The first value.
  ///   - areEqual: Whether a value may be taken for another one; such a value is not stored.
  ///   - fileID: Where the property is written; filled in by the compiler.
  ///   - line: Its line.
  @inlinable
  public convenience init(
    wrappedValue: Value,
    by areEqual: @escaping (Value, Value) -> Bool,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(wrappedValue, areEqual, .automatically, fileID: fileID, line: line)
  }

  @usableFromInline
  init(
    _ value: Value,
    _ areEqual: ((Value, Value) -> Bool)?,
    _ notifies: Notifies,
    fileID: StaticString,
    line: UInt
  ) {
    cell = ValueCell(value, fileID: fileID, line: line)
    self.areEqual = areEqual
    self.notifies = notifies
  }

  deinit { observers?.close() }

  /// The value.
  ///
  /// Changing it in place, as in `items.append(item)`, copies nothing unless a validator or an observer
  /// needs the value before. In place every write is reported, also when the mutation throws.
  ///
  /// - Complexity: O(1) to get. To set, O(*n*) in the number of observers; nothing is allocated.
  @inlinable
  public var wrappedValue: Value {
    get { storage }
    set {
      if cell.isObserved { assign(newValue) } else { _ = cell.exchange(newValue) }
    }
    _modify {
      if cell.isObserved, let observers {
        if observers.allowsMutationInPlace {
          defer { didMutate(observers) }
          yield &storage
        } else {
          var copy = storage
          defer { assignInOrder(copy, observers, .mutation) }
          yield &copy
        }
      } else {
        yield &storage
      }
    }
  }

  /// The property itself, to be observed.
  public var projectedValue: Observed<Value> { self }

  /// How many places registrations take, those included whose owners have died unnoticed.
  package var observerSlotCount: Int { observers?.slotCount ?? 0 }

  /// Where the property is written.
  var place: PropertyPlace { PropertyPlace(fileID: cell.fileID, line: cell.line) }

  /// The value, which can be changed in place.
  @inlinable
  var storage: Value {
    get { cell.value }
    _modify { yield &cell.value }
  }

  /// Who observes, made when it is first asked for.
  func neededObservers() -> PropertyObservers<Value> {
    if let observers { return observers }
    let made = PropertyObservers<Value>(place, areEqual: areEqual)
    observers = made
    cell.observer = ObjectAddress.of(made)
    return made
  }
}

extension Observed: ObservableValue {
  /// The value, read through the property itself.
  public var value: Value { storage }
}

@available(*, unavailable)
extension Observed: Sendable {}

/// Where a property was written, for messages.
@usableFromInline
struct PropertyPlace: Sendable, CustomStringConvertible {
  /// The module and file.
  @usableFromInline let fileID: StaticString
  /// The line, counted from one.
  @usableFromInline let line: UInt

  @inlinable
  init(fileID: StaticString, line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  /// The place as `Module/File.swift:12`.
  @usableFromInline var description: String { "\(fileID):\(line)" }
}
