/// An observer of events of one type.
///
/// Delivery is one virtual call to an object that is borrowed from the list: no retain, no release. The
/// handler is a constant of a subclass, since reading a variable would cost as much again.
@usableFromInline
package class Observer<Payload: Sendable>: AnyObserver, @unchecked Sendable {  // Reason: stateless.
  /// Hands over an event from a post without peculiarities.
  ///
  /// - Throws: What the handler throws.
  @usableFromInline
  package func receive(_ payload: Payload) throws -> Reception { .declined }

  /// Hands over an event together with where it came from.
  ///
  /// - Throws: What the handler throws.
  package func receive(_ payload: Payload, _ delivery: borrowing Delivery) throws -> Reception {
    try receive(payload)
  }
}

/// The plainest observer: a handler that is called where the poster is.
package final class PlainObserver<Payload: Sendable>: Observer<Payload>,
  @unchecked Sendable  // Reason: constant.
{
  private let handler: @Sendable (Payload) throws -> Void

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - fileID: The file of the registration.
  ///   - line: Its line.
  ///   - handler: Called with every payload.
  package required init(
    fileID: StaticString,
    line: UInt,
    handler: @escaping @Sendable (Payload) throws -> Void
  ) {
    self.handler = handler
    super.init(fileID: fileID, line: line)
  }

  @usableFromInline
  override package func receive(_ payload: Payload) throws -> Reception {
    try handler(payload)
    return .called
  }
}
