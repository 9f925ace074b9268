/// The writes since the last report, for observers of elements, which do not need the old value.
///
/// While no observer needs a ``Change``, the value is mutated in place without a copy.
@usableFromInline
package struct WriteReport<Value> {
  /// The new value.
  @usableFromInline package let new: Value
  /// The old value, if it was kept.
  @usableFromInline package let old: Value?
  /// The records of the writes, in order; `nil` if any write was not described.
  @usableFromInline package let records: [AnyObject]?
  /// A Boolean value that indicates whether this is the initial report of a registration.
  @usableFromInline package let isInitial: Bool
  /// A Boolean value that indicates whether this is the report of a batch, which is left out if the writes
  /// cancel each other out.
  @usableFromInline let isOfBatch: Bool

  @inlinable
  init(
    new: Value,
    old: Value? = nil,
    records: [AnyObject]? = nil,
    isInitial: Bool = false,
    isOfBatch: Bool = false
  ) {
    self.new = new
    self.old = old
    self.records = records
    self.isInitial = isInitial
    self.isOfBatch = isOfBatch
  }

  /// The descriptions of the writes, in order.
  @inlinable
  func edits<Edits>(_: Edits.Type) -> some Sequence<Edits> {
    (records ?? []).lazy.compactMap { ($0 as? WriteRecord<Edits>)?.edits }
  }
}

/// The description of one write, in the form that suits the kind of collection.
///
/// A class, because a value of type `Any` takes 150 instructions more on its way to the observers.
@usableFromInline
final class WriteRecord<Edits> {
  @usableFromInline let edits: Edits

  @inlinable
  init(_ edits: Edits) { self.edits = edits }
}

@available(*, unavailable)
extension WriteReport: Sendable {}

@available(*, unavailable)
extension WriteRecord: Sendable {}
