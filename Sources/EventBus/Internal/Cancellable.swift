/// Something that can be told that what it stands for has ended.
package protocol Cancellable: AnyObject, Sendable {
  /// Ends it. Doing so twice does nothing.
  func cancel()

  /// Whether it has ended, or is about to.
  ///
  /// Asked with locks held.
  var hasEnded: Bool { get }
}

/// A reference that does not keep its object alive, to be kept in a value behind a lock.
package struct WeakCancellable: Sendable {
  /// The object, while it lives.
  ///
  /// Loaded outside locks only: the load may be the last to let it go.
  package weak let object: (any Cancellable)?

  /// Refers to an object.
  package init(_ object: any Cancellable) { self.object = object }
}
