/// What observers that do not want the value before are told: what was done since the last report.
///
/// Observers of elements have the role ``PropertyObserver/Roles/writes`` and get these. As long as
/// nobody wants a ``Change`` the value is changed in place, without a copy.
@usableFromInline
struct WriteReport<Value> {
  /// The value after.
  @usableFromInline let new: Value
  /// The value before, if somebody kept it.
  @usableFromInline let old: Value?
  /// What was done, in order, if all of it was described.
  @usableFromInline let records: [AnyObject]?
  /// Whether this is the value at the time of the registration.
  @usableFromInline let isInitial: Bool

  @inlinable
  init(
    new: Value,
    old: Value? = nil,
    records: [AnyObject]? = nil,
    isInitial: Bool = false
  ) {
    self.new = new
    self.old = old
    self.records = records
    self.isInitial = isInitial
  }
}

/// One write to a property, as far as the property knows what was done.
@usableFromInline
enum Write {
  /// The whole value was assigned.
  case assignment
  /// It was changed in place, nobody knows how.
  case mutation
  /// It was changed, and whoever did it described how.
  case described(AnyObject)

  /// What was done, if it was described.
  @inlinable
  var records: [AnyObject]? {
    if case .described(let record) = self { [record] } else { nil }
  }
}

/// The writes since the last report.
enum WriteLog {
  /// How many silent writes are kept one by one.
  static var limit: Int { 1_000 }

  /// There were none.
  case empty
  /// Each was described.
  case described([AnyObject])
  /// One of them at least was not.
  case unknown

  /// The descriptions of all writes, if there were any.
  var records: [AnyObject]? {
    if case .described(let records) = self { records } else { nil }
  }

  /// Adds a write.
  ///
  /// - Parameters:
  ///   - write: What was written.
  ///   - isBounded: Whether too many writes are forgotten for knowing only that there were some.
  mutating func note(_ write: Write, isBounded: Bool) {
    switch (self, write) {
    case (.unknown, _): break
    case (.empty, .described(let record)): self = .described([record])
    case (.described(var records), .described(let record)):
      self = .empty
      records.append(record)
      self = isBounded && records.count > Self.limit ? .unknown : .described(records)
    default: self = .unknown
    }
  }
}

@available(*, unavailable)
extension WriteReport: Sendable {}

@available(*, unavailable)
extension Write: Sendable {}

@available(*, unavailable)
extension WriteLog: Sendable {}
