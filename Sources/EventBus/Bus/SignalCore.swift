/// The observers of one event, with its type: what buses and signals are made of.
@usableFromInline
package final class SignalCore<Payload: Sendable>: ObserverList,
  @unchecked Sendable  // Reason: constant.
{
  @usableFromInline
  internal let hub: Hub
  internal let name: String
  /// Looked up once: making the class of a generic observer anew costs as much as registering it.
  internal let plainObserver = PlainObserver<Payload>.self

  internal init(name: String, hub: Hub) {
    self.name = name
    self.hub = hub
    super.init(numbers: hub.numbers)
  }

  /// Delivers an event.
  ///
  /// - Returns: How many handlers were called or have it queued.
  @inlinable
  internal func send(
    _ payload: Payload,
    from sender: AnyObject?,
    fileID: StaticString,
    line: UInt,
    isolation: (any Actor)?
  ) -> Int {
    if let isolation, !hub.waiting.isZero { hub.drainMailbox(of: isolation) }
    var reached = 0
    if !isEmpty {
      if isPlain {
        reached = deliver(payload) { error, observer in
          report(error, observer, payload, from: sender, fileID: fileID, line: line)
        }
      } else {
        reached = sendInOrder(
          payload,
          from: sender,
          fileID: fileID,
          line: line,
          isolation: isolation
        )
      }
    }
    if reached == 0, hub.tellsUnhandled {
      tellUnhandled(payload, from: sender, fileID: fileID, line: line)
    }
    return reached
  }

  @usableFromInline
  internal func sendInOrder(
    _ payload: Payload,
    from sender: AnyObject?,
    fileID: StaticString,
    line: UInt,
    isolation: (any Actor)?
  ) -> Int {
    let delivery = Delivery(
      fileID: fileID,
      line: line,
      sender: sender.map(ObjectIdentifier.init),
      isolation: isolation
    )
    return deliverInOrder(payload, delivery) { error, observer in
      report(error, observer, payload, from: sender, fileID: fileID, line: line)
    }
  }

  @usableFromInline
  internal func report(
    _ error: any Error,
    _ observer: AnyObserver,
    _ payload: Payload,
    from sender: AnyObject?,
    fileID: StaticString,
    line: UInt
  ) {
    let delivery = Delivery(fileID: fileID, line: line, sender: sender.map(ObjectIdentifier.init))
    handlerFailed(error, in: observer, payload: payload, delivery: delivery)
  }

  @usableFromInline
  internal func tellUnhandled(
    _ payload: Payload,
    from sender: AnyObject?,
    fileID: StaticString,
    line: UInt
  ) {
    hub.unhandled(
      AnyEvent(
        name: name,
        payload: payload,
        sender: sender.map(ObjectIdentifier.init),
        site: SourceSite(fileID: "\(fileID)", line: line)
      )
    )
  }

  override package func handlerFailed(
    _ error: any Error,
    in observer: AnyObserver,
    payload: any Sendable,
    delivery: Delivery
  ) {
    let event = AnyEvent(
      name: name,
      payload: payload,
      sender: delivery.sender,
      site: SourceSite(fileID: "\(delivery.fileID)", line: delivery.line)
    )
    hub.report(
      HandlerFailure(
        error: error,
        event: event,
        registeredAt: SourceSite(fileID: observer.fileID, line: observer.line)
      )
    )
  }
}
