/// A value of one isolation domain, with exclusive access checked by a flag of its own.
///
/// The check the compiler makes for a class's property is a call into the runtime for every read and
/// every set; here it is a branch. The rule is the same: while the value is changed in place it cannot be
/// read or set otherwise, and trying traps.
@safe @usableFromInline
package final class ValueCell<Value> {
  @exclusivity(unchecked) @usableFromInline var content: Value
  @exclusivity(unchecked) @usableFromInline var isLent = false
  @exclusivity(unchecked) @usableFromInline var address: UInt = 0
  /// Where the value was written, for messages.
  package let fileID: StaticString
  /// The line.
  package let line: UInt

  /// Creates a cell with a value.
  package init(_ value: Value, fileID: StaticString, line: UInt) {
    unsafe content = value  // Reason: the first value.
    self.fileID = fileID
    self.line = line
  }

  /// Whether somebody observes the value.
  @inlinable
  package var isObserved: Bool { unsafe address != 0 }  // Reason: a number, read in one go.

  /// The address of who observes, whom the cell's owner keeps; zero for nobody.
  @inlinable
  package var observer: UInt {
    get { unsafe address }  // Reason: a number, read in one go.
    set { unsafe address = newValue }  // Reason: a number, set in one go.
  }

  /// The value; changing it in place lends it for the duration.
  @inlinable
  package var value: Value {
    get {
      if unsafe isLent { trapOnNestedAccess() }  // Reason: a flag, read in one go.
      return unsafe content  // Reason: nobody changes it now.
    }
    _modify {
      if unsafe isLent { trapOnNestedAccess() }  // Reason: a flag, read in one go.
      unsafe isLent = true  // Reason: a flag, set in one go.
      defer { unsafe isLent = false }  // Reason: as above.
      yield unsafe &content  // Reason: lent to nobody else.
    }
  }

  /// The value, or `nil` while it is being changed in place.
  package var settled: Value? {
    unsafe isLent ? nil : content  // Reason: a flag, read in one go; then the value is at rest.
  }

  /// Stores a value.
  ///
  /// The former one is let go by the caller, when the access has ended: what dies with it may read the
  /// cell.
  ///
  /// - Returns: The former value.
  @inlinable
  package func exchange(_ value: Value) -> Value {
    if unsafe isLent { trapOnNestedAccess() }  // Reason: a flag, read in one go.
    var value = value
    unsafe swap(&content, &value)  // Reason: runs nobody's code.
    return value
  }

  @usableFromInline
  func trapOnNestedAccess() -> Never {
    trap(
      "the property at \(fileID):\(line) was read or set while it was being changed in place",
      remedy: "Use only the value that is being changed until the change has ended"
    )
  }
}

@available(*, unavailable)
extension ValueCell: Sendable {}
