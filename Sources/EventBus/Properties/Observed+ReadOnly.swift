extension Observed {
  /// A view of a property that can be read and observed, but not changed.
  ///
  /// The projected value of a property, such as `$balance`, is such a view. Pass it to code that may observe
  /// the property without acting on it. What acts on the property, such as
  /// ``Observed/willSet(_:)``, ``Observed/withoutNotifying(_:)`` and the operations on elements, is a member
  /// of the stored property, `_balance`, which Swift makes private to the type that declares it. A property
  /// that is declared `private(set) var` can therefore be changed by its type alone.
  ///
  /// ```swift
  /// @MainActor final class Library {
  ///   @Observed private(set) var books: [String] = []
  ///
  ///   func add(_ book: String) { _books.append(book) }
  /// }
  ///
  /// @MainActor final class Shelf {
  ///   var books: [String] = []
  /// }
  ///
  /// let (library, shelf) = (Library(), Shelf())
  /// library.$books.bind(to: shelf, \.books)
  /// library.add("Emma")
  /// ```
  ///
  /// A view retains its property, but not the object that declares it. When the object is deinitialized, the
  /// property keeps its last value for as long as a view exists.
  ///
  /// ## Thread safety
  ///
  /// Like its property, a view is not `Sendable`.
  public struct ReadOnly {
    @usableFromInline let property: Observed

    @inlinable
    init(_ property: Observed) { self.property = property }
  }
}

extension Observed.ReadOnly: ObservableProperty {
  /// The current value.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var value: Value { property.storage }

  /// This view.
  @inlinable
  public var readOnly: Observed.ReadOnly { self }
}

@available(*, unavailable)
extension Observed.ReadOnly: Sendable {}
