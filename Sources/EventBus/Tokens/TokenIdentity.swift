/// The registration that a token stands for.
package struct TokenIdentity: Sendable {
  let target: ObjectIdentifier
  let handle: UInt

  /// Identifies a registration by its target and handle.
  package init(_ target: TokenTarget, handle: UInt) {
    self.target = ObjectIdentifier(target)
    self.handle = handle
  }
}
