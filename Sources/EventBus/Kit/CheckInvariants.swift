/// Checks the invariants of a small value after a change, in debug builds only.
///
/// A value of more than 16 elements is not checked: each check visits all of them, in some values once for each
/// element. A release build evaluates neither argument.
///
/// - Parameters:
///   - size: The number of elements of the value.
///   - check: The check, which stops the program if the value is inconsistent.
@inlinable
@inline(__always)
package func checkInvariants(
  ofSize size: @autoclosure () -> Int,
  _ check: @autoclosure () -> Void
) {
  assert(
    size() > 16
      || {
        check()
        return true
      }()
  )
}
