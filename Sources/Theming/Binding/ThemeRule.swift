/// One line of a map, whatever the object and the value: what becomes of an object when a key
/// changes.
///
/// The types are known where the rule is written, in the user's module. There the function is made,
/// and, since that is inlined, without a look at a key path or at metadata when it is called.
@usableFromInline
internal struct ThemeRule {
  /// The key whose changes matter.
  @usableFromInline internal let key: ThemeKeys

  /// Hands the value in a box to the object: both are of the types that the rule was made for.
  @usableFromInline internal let write: (_ object: AnyObject, _ box: AnyObject) -> Void

  @inlinable
  internal init(_ key: ThemeKeys, _ write: @escaping (AnyObject, AnyObject) -> Void) {
    self.key = key
    self.write = write
  }
}

@available(*, unavailable)
extension ThemeRule: Sendable {}
