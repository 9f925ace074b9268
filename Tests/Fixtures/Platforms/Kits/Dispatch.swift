// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of Dispatch that the tests use, for compilation for other systems. Nothing here is ever called.

open class DispatchSemaphore: @unchecked Sendable {  // Reason: has no state.
  public init(value: Int) {}
  public func wait() {}
  @discardableResult public func signal() -> Int { 0 }
}
