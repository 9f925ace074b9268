/// What a worker is to its launch: a closure or a type, sorted by how it may be called.
package enum LaunchWork: Sendable {
  /// Synchronous, of no actor: called directly.
  case inline(NonisolatedCall)
  /// Synchronous, of an actor: called there.
  case isolated(IsolatedCall, on: ObjectIdentifier)
  /// Asynchronous: gets a task.
  case asynchronous(AsynchronousCall)
  /// A type to make a worker of: asynchronous, and it can be undone.
  case type(any LaunchWorker.Type)

  /// Sorts a synchronous closure.
  package init(_ call: IsolatedCall) {
    if let actor = call.body.isolation {
      self = .isolated(call, on: ObjectIdentifier(actor))
    } else {
      self = .inline(call.bare)
    }
  }

  /// The kind, without the closure.
  package var kind: LaunchKind {
    switch self {
    case .inline: .inline
    case .isolated(_, let actor): .isolated(on: actor)
    case .asynchronous, .type: .asynchronous
    }
  }

  /// Whether it can be undone.
  package var isUndoable: Bool {
    if case .type = self { true } else { false }
  }
}
