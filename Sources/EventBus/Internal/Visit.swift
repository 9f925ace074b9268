/// One reader's stay in a reclamation domain.
@usableFromInline
package struct Visit {
  @usableFromInline
  internal let cells: ReaderCells
  @usableFromInline
  internal let counter: Int
  @usableFromInline
  internal let inside: UInt

  @inlinable
  internal init(cells: ReaderCells, counter: Int, inside: UInt) {
    self.cells = cells
    self.counter = counter
    self.inside = inside
  }

  /// Whether so many readers are in the same counter that posts may be nesting without end.
  @inlinable
  package var isCrowded: Bool { inside > 16 }
}

@available(*, unavailable)
extension Visit: Sendable {}
