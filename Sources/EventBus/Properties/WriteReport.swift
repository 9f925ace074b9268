/// The writes since the last report, for observers that do not need the old value.
///
/// Observers of elements, with the role ``PropertyObserver/Roles/writes``, receive these reports. While
/// no observer needs a ``Change``, the value is mutated in place without a copy.
@usableFromInline
struct WriteReport<Value> {
  /// The new value.
  @usableFromInline let new: Value
  /// The old value, if it was kept.
  @usableFromInline let old: Value?
  /// The records of the writes, in order; `nil` if any write was not described.
  @usableFromInline let records: [AnyObject]?
  /// A Boolean value that indicates whether this is the initial report of a registration.
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

/// One write to a property.
@usableFromInline
enum Write {
  /// An assignment of the whole value.
  case assignment
  /// A mutation in place without a description.
  case mutation
  /// A mutation with a record that describes it.
  case described(AnyObject)

  /// The record of the write, if it was described.
  @inlinable
  var records: [AnyObject]? {
    if case .described(let record) = self { [record] } else { nil }
  }
}

/// The writes since the last report.
enum WriteLog {
  /// The maximum number of silent writes that are logged individually.
  static var limit: Int { 1_000 }

  /// No writes.
  case empty
  /// Writes with descriptions only.
  case described([AnyObject])
  /// Writes of which at least one has no description.
  case unknown

  /// The records of all writes; `nil` if there were none or any was not described.
  var records: [AnyObject]? {
    if case .described(let records) = self { records } else { nil }
  }

  /// Adds a write.
  ///
  /// - Parameters:
  ///   - write: The write.
  ///   - isBounded: A Boolean value that indicates whether the log drops its records beyond the limit.
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
