extension Observed {
  /// Keeps a property of an object at the value of this one: now, and after every change.
  ///
  /// ```swift
  /// account.$owner.bind(to: screen, \.text)
  /// ```
  ///
  /// - Parameters:
  ///   - owner: The object, held weakly; the binding ends with it.
  ///   - keyPath: Its property.
  /// - Returns: The token, which may be dropped: the binding stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func bind<O: AnyObject>(
    to owner: O,
    _ keyPath: ReferenceWritableKeyPath<O, Value>
  ) -> Token {
    observe(owner: owner, options: .initial) { owner, change in
      owner[keyPath: keyPath] = change.new
    }
  }
}
