/// One reader's stay in a reclamation domain.
@usableFromInline
package struct Visit {
  @usableFromInline
  internal let cells: ReaderCells
  @usableFromInline
  internal let counter: Int

  @inlinable
  internal init(cells: ReaderCells, counter: Int) {
    self.cells = cells
    self.counter = counter
  }
}

@available(*, unavailable)
extension Visit: Sendable {}
