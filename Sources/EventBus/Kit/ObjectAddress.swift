#if canImport(ObjectiveC)
internal import ObjectiveC
#endif

/// Conversions between objects and their addresses, for atomic words and slots.
///
/// An address is valid under one of two rules: ``retained(_:)`` created it and ``release(_:)`` is called
/// once, or a comment at the use names the owner that keeps the object alive.
@usableFromInline
package enum ObjectAddress: Sendable {
  /// Returns the address of an object without retaining it, or zero for none.
  @inlinable
  package static func of(_ object: AnyObject?) -> UInt {
    guard let object else { return 0 }
    let reference = unsafe Unmanaged.passUnretained(object)  // Reason: only a number is kept.
    return unsafe UInt(bitPattern: reference.toOpaque())  // Reason: as above.
  }

  /// Returns whether an object uses Swift's native reference counting.
  ///
  /// Only for such an object can an unowned reference be formed in its `deinit`; the reference keeps the
  /// memory allocated.
  package static func isCountedBySwift(_ object: AnyObject) -> Bool {
    #if canImport(ObjectiveC)
    !(object is NSObject)
    #else
    true
    #endif
  }

  /// Retains an object and returns its address.
  ///
  /// Balance every call with ``release(_:)``.
  package static func retained(_ object: AnyObject) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())  // Reason: a number.
  }

  /// Releases an object that ``retained(_:)`` retained.
  ///
  /// May run the object's `deinit`.
  package static func release(_ address: UInt) {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address)  // Reason: from `retained`.
    guard let pointer = unsafe pointer else { return }  // Reason: as above.
    unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()  // Reason: retained before.
  }

  /// Returns a strong reference to the object at an address, or `nil` for zero.
  package static func object<Object: AnyObject>(_ address: UInt, as type: Object.Type) -> Object? {
    borrow(address) { $0 }
  }

  /// Calls a closure with the object at an address, without retaining the object.
  ///
  /// The closure's parameter determines the class: a metatype argument would be looked up at run time.
  ///
  /// - Returns: The closure's result, or `nil` for zero.
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
