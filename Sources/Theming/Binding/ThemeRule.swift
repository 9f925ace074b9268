/// One line of a map, whatever the object and the value: what becomes of an object when a key
/// changes.
///
/// The types are known where the rule is written, in the user's module. There the function is made,
/// and, since that is inlined, without a look at a key path or at metadata when it is called.
@usableFromInline
internal struct ThemeRule {
  /// The key whose changes matter.
  @usableFromInline internal let key: ThemeKeys

  /// The property that is set; its root is the class that the rule was written for.
  @usableFromInline internal let property: AnyKeyPath

  /// Hands the value in a box to the object: both are of the types that the rule was made for.
  @usableFromInline internal let write: (_ object: AnyObject, _ box: AnyObject) -> Void

  @inlinable
  internal init(
    _ key: ThemeKeys,
    _ property: AnyKeyPath,
    _ write: @escaping (AnyObject, AnyObject) -> Void
  ) {
    self.key = key
    self.property = property
    self.write = write
  }

  /// Whether an object is of the class that the rule was written for.
  internal func fits(_ object: AnyObject) -> Bool {
    func isInstance<Root>(_ root: Root.Type) -> Bool { object is Root }
    return _openExistential(type(of: property).rootType, do: isInstance)
  }
}

@available(*, unavailable)
extension ThemeRule: Sendable {}
