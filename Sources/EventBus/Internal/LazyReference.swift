internal import Synchronization

/// An object that is made when it is first asked for, and a few flags, in one atomic word.
///
/// What most tokens and lifetimes never need costs them eight bytes.
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The bits an object's address never uses.
  private static var flagMask: UInt { 7 }
  private let word: Atomic<UInt>

  /// Creates a reference without an object.
  ///
  /// - Parameter flags: Flags set from the start, below 8.
  package init(flags: UInt = 0) { word = Atomic(flags) }

  deinit { ObjectAddress.release(word.load(ordering: .acquiring) & ~Self.flagMask) }

  /// The flags that are set.
  package var flags: UInt { word.load(ordering: .sequentiallyConsistent) & Self.flagMask }

  /// The object, if there is one.
  package var object: Object? { Self.object(in: word.load(ordering: .sequentiallyConsistent)) }

  /// Sets a flag, for good.
  ///
  /// - Returns: `false` if it was set before.
  package borrowing func set(_ flag: UInt) -> Bool {
    word.bitwiseOr(flag, ordering: .sequentiallyConsistent).oldValue & flag == 0
  }

  /// The object, made if there is none.
  ///
  /// - Parameters:
  ///   - make: Makes the object. Another thread may win; then what was made is let go.
  ///   - didMake: Called with the new object and the flags at the moment others could find it.
  /// - Returns: The one object there is.
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
