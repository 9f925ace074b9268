#if canImport(ObjectiveC)
internal import ObjectiveC
#endif

/// Objects as plain numbers, for atomic words and slots.
///
/// Whoever keeps an address also keeps the object, by one of two rules: the number was made with
/// ``retained(_:)`` and is released once, or somebody named at the use keeps the object meanwhile.
@usableFromInline
package enum ObjectAddress: Sendable {
  /// The address of an object that somebody else keeps.
  package static func of(_ object: AnyObject) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())  // Reason: a number.
  }

  /// Whether Swift counts the references to an object.
  ///
  /// An unowned reference to it may be formed in its `deinit` then, and keeps its memory.
  package static func isCountedBySwift(_ object: AnyObject) -> Bool {
    #if canImport(ObjectiveC)
    !(object is NSObject)
    #else
    true
    #endif
  }

  /// The address of an object, with a reference that ``release(_:)`` ends.
  package static func retained(_ object: AnyObject) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())  // Reason: a number.
  }

  /// Ends the reference that ``retained(_:)`` began, which may run code of anybody.
  package static func release(_ address: UInt) {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `retained`.
    guard let pointer = unsafe pointer else { return }  // Reason: as above.
    unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()  // Reason: retained before.
  }

  /// The object at an address, with a reference of its own, or nothing for zero.
  package static func object<Object: AnyObject>(_ address: UInt, as type: Object.Type) -> Object? {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `of` or `retained`.
    guard let pointer = unsafe pointer else { return nil }  // Reason: as above.
    return unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()  // Reason: kept.
  }

  /// Calls a closure with the object at an address, without counting a reference.
  ///
  /// The class is the closure's parameter: a metatype argument would be looked up at run time.
  ///
  /// - Returns: What the closure returns, or nothing for zero.
  @inlinable
  @inline(__always)
  package static func borrow<Object: AnyObject, Result>(
    _ address: UInt,
    _ body: (Object) -> Result
  ) -> Result? {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `of` or `retained`.
    guard let pointer = unsafe pointer else { return nil }  // Reason: as above.
    let object = unsafe Unmanaged<Object>.fromOpaque(pointer)  // Reason: kept by the caller.
    return unsafe object._withUnsafeGuaranteedRef { body($0) }  // Reason: kept by the caller.
  }
}
