/// A weak reference to an object, for use in state behind a lock and in closures.
package struct Weak<Object: AnyObject & Sendable>: Sendable {
  /// The object, or `nil` once it has been deallocated.
  ///
  /// Loaded only outside locks: the load may release the last reference.
  package weak let object: Object?

  /// Creates a reference to an object.
  package init(_ object: Object) { self.object = object }
}
