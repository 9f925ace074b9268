/// The parameters of a registration with a shared property.
struct SharedObserveRequest {
  /// Whether the handler is called with the value at the registration, too.
  let initial: Bool
  /// The source file of the registration.
  let fileID: StaticString
  /// The source line of the registration.
  let line: UInt
  /// The identifier under which the registration replaces an earlier one of its owner.
  let id: AnyHashable?
  /// The actor on which the handler runs.
  let actor: (any Actor)?

  init(
    initial: Bool,
    _ fileID: StaticString,
    _ line: UInt,
    id: (any Hashable & Sendable)? = nil,
    on actor: (any Actor)? = nil
  ) {
    (self.initial, self.fileID, self.line) = (initial, fileID, line)
    (self.id, self.actor) = (id.map { AnyHashable($0) }, actor)
  }
}
