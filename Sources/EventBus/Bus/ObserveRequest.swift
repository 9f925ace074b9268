/// What an `observe` call asks for, besides its predicate and its handler.
internal struct ObserveRequest {
  /// The only sender to listen to.
  internal var sender: AnyObject?
  /// Who is told first.
  internal let priority: Priority
  /// Whether the first call is the last.
  internal let once: Bool
  /// Where the registration was written.
  internal let fileID: StaticString
  /// Its line.
  internal let line: UInt

  /// Whether every event is wanted.
  internal var isPlain: Bool { !once && sender == nil }
}
