/// What observers that do not want the value before are told: the writes since the last report.
///
/// The seam for collections: an observer with the role ``PropertyObserver/Roles/writes`` gets these, and
/// as long as nobody wants a ``Change`` the value is changed in place, without a copy.
@usableFromInline
internal struct WriteReport<Value> {
  /// The value after the writes.
  internal let new: Value
  /// The writes, in order; kept only while somebody wants reports.
  internal let writes: [Write]
}

/// One write to a property, as far as the property knows what was done.
@usableFromInline
internal enum Write {
  /// The whole value was assigned.
  case assignment
  /// It was changed in place, nobody knows how.
  case mutation
  /// It was changed in place, and whoever did it described how.
  case described(AnyObject)
}

@available(*, unavailable)
extension WriteReport: Sendable {}

@available(*, unavailable)
extension Write: Sendable {}
