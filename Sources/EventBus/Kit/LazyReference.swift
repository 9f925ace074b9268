internal import Synchronization

/// A lazily created object and three flags, in one atomic word.
///
/// Extra state that most registrations and lifetimes never need costs them eight bytes.
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The bits that are always zero in an object's address.
  private static var flagMask: UInt { 7 }
  private let word: Atomic<UInt>

  /// Creates a reference without an object.
  ///
  /// - Parameter flags: The initial flags, less than 8.
  package init(flags: UInt = 0) { word = Atomic(flags) }

  deinit { ObjectAddress.release(word.load(ordering: .acquiring) & ~Self.flagMask) }

  /// The flags that are set.
  package var flags: UInt { word.load(ordering: .sequentiallyConsistent) & Self.flagMask }

  /// The object, or `nil` if it has not been created.
  package var object: Object? { Self.object(in: word.load(ordering: .sequentiallyConsistent)) }

  /// Calls a closure with the object, if it has been created, without retaining it: the reference does.
  borrowing func borrow<Result>(_ body: (Object) -> Result) -> Result? {
    ObjectAddress.borrow(word.load(ordering: .sequentiallyConsistent) & ~Self.flagMask, body)
  }

  /// Sets a flag permanently.
  ///
  /// - Returns: `false` if the flag was already set.
  package borrowing func set(_ flag: UInt) -> Bool {
    word.bitwiseOr(flag, ordering: .sequentiallyConsistent).oldValue & flag == 0
  }

  /// Returns the object, creating it if there is none.
  ///
  /// - Parameters:
  ///   - make: Creates the object. If another thread is first, the new object is discarded.
  ///   - didMake: Called with the new object and the flags at the moment of its publication.
  /// - Returns: The only object.
  package borrowing func object(
    orMake make: () -> Object,
    didMake: (Object, UInt) -> Void = { _, _ in }
  ) -> Object {
    if let known = object { return known }
    let made = make()
    let address = ObjectAddress.retained(made)
    var expected = flags
    while true {
      let (done, actual) = word.compareExchange(
        expected: expected,
        desired: expected | address,
        ordering: .sequentiallyConsistent
      )
      if done {
        didMake(made, expected)
        return made
      }
      if let others = Self.object(in: actual) {
        ObjectAddress.release(address)
        return others
      }
      expected = actual
    }
  }

  private static func object(in word: UInt) -> Object? {
    ObjectAddress.object(word & ~flagMask, as: Object.self)
  }
}
