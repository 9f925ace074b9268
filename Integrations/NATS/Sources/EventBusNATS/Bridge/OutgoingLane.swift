internal import EventBus
private import Synchronization

/// The way of one event out of the process.
class AnyOutgoingLane: @unchecked Sendable {  // Reason: subclasses lock.
  /// Sends what waits; on the queue of the bridge.
  func flush(_ core: BridgeCore) {}
  /// Notes that the connection was made again.
  func reconnected() {}
  /// A promise that is kept when everything so far was sent, or is stored.
  func allSoFar() -> Promise<Void> { Promise() }
  /// Drops everything.
  func close() {}
  /// The last sequence that was given to an event.
  var lastSequence: UInt64 { 0 }
  /// What sends durable messages, for answers.
  var sender: DurableSender? { nil }
}

/// The way of one event out of the process.
///
/// Live events wait in a buffer of the lane, from which the oldest drop. The number of an event is given to it
/// when it is posted, so that receivers miss what dropped.
final class OutgoingLane<Payload: Sendable>: AnyOutgoingLane,
  @unchecked Sendable  // Reason: locked.
{
  private struct State {
    var buffer: BoundedBuffer<(sequence: UInt64, payload: Payload)>
    var lastSequence: UInt64 = 0
    /// The number of the last event that was sent or dropped.
    var doneSequence: UInt64 = 0
    var waiters = Waiters()
    var isAwake = false
    var isClosed = false
  }

  private let state: Mutex<State>
  private let core: Weak<BridgeCore>
  private let event: String
  private let subject: String
  private let template: WireHeader.Template
  private let codec: EventCodec<Payload>
  private let idPrefix: String
  private let durable: DurableSender?
  /// The last sequence of an earlier lane.
  private let base: UInt64

  init(
    _ core: BridgeCore,
    _ name: EventName<Payload>,
    _ codec: EventCodec<Payload>,
    number: Int,
    durable: DurableSender?
  ) {
    state = Mutex(State(buffer: BoundedBuffer(limit: core.configuration.bufferLimit)))
    self.core = Weak(core)
    event = name.rawValue
    subject = Subject.event(name.rawValue, prefix: core.prefix)
    template = WireHeader.Template(
      WireHeader(
        node: core.node,
        incarnation: core.incarnation,
        sequence: 0,
        version: codec.version,
        contentType: codec.contentType
      )
    )
    self.codec = codec
    idPrefix = "\(String(core.incarnation, radix: 16))-\(number)-"
    self.durable = durable
    base = core.sequence(name)
    let base = base
    state.withLock { ($0.lastSequence, $0.doneSequence) = (base, base) }
  }

  override var lastSequence: UInt64 {
    if let durable { return base + durable.lastSerial }
    return state.withLock { $0.lastSequence }
  }

  override var sender: DurableSender? { durable }

  /// Takes an event that was posted.
  func enqueue(_ payload: Payload) {
    if durable != nil {
      let refusal = post(payload) { _ in }
      if let refusal { core.object?.tally.report(BridgeReport(.refused, event, refusal.detail)) }
      return
    }
    let (dropped, wakes) = state.withLock { state in
      guard !state.isClosed else { return (nil as (sequence: UInt64, payload: Payload)?, false) }
      state.lastSequence += 1
      let dropped = state.buffer.append((state.lastSequence, payload))
      defer { state.isAwake = true }
      return (dropped, !state.isAwake)
    }
    if dropped != nil { core.object?.tally.report(BridgeReport(.droppedOutgoing, event)) }
    if wakes { core.object?.wake() }
  }

  /// Adds a durable event.
  ///
  /// - Returns: Why it was not added.
  func post(
    _ payload: Payload,
    _ completion: @escaping @Sendable (Result<Receipt, NATSError>) -> Void
  ) -> NATSError? {
    guard let durable else {
      return NATSError(.notCarried, "The event \(event) is carried live")
    }
    let letter = Letter(
      message: { [subject, template, codec, idPrefix, event, base] serial throws(NATSError) in
        OutgoingMessage(
          subject: subject,
          header: template.bytes(sequence: base + serial),
          id: idPrefix + String(serial),
          payload: try codec.bytes(of: payload, event)
        )
      },
      completion: completion
    )
    if let refusal = durable.append(letter) { return refusal }
    core.object?.wake()
    return nil
  }

  override func flush(_ core: BridgeCore) {
    if let durable { return durable.flush(core) }
    while core.link.isConnected {
      let batch = state.withLock { state in
        let batch = state.buffer.take(256)
        if batch.isEmpty { state.isAwake = false }
        return batch
      }
      if batch.isEmpty { break }
      let sent = send(batch, core)
      let (dropped, due) = state.withLock { state in
        let dropped = state.buffer.putBack(batch[sent...])
        state.doneSequence = (state.buffer.first?.sequence ?? state.lastSequence + 1) - 1
        if sent < batch.count { state.isAwake = false }
        return (dropped, state.waiters.take(reached: state.doneSequence))
      }
      if !dropped.isEmpty {
        core.tally.report(BridgeReport(.droppedOutgoing, event, count: dropped.count))
      }
      for promise in due { promise.fulfil(.success(())) }
      if sent < batch.count { return }
    }
  }

  /// Sends events until the connection breaks.
  ///
  /// - Returns: How many are done.
  private func send(_ batch: [(sequence: UInt64, payload: Payload)], _ core: BridgeCore) -> Int {
    var sent = 0
    defer { core.tally.count { $0.sent += sent } }
    for (index, entry) in batch.enumerated() {
      do throws(NATSError) {
        let payload = try codec.bytes(of: entry.payload, event)
        let header = template.bytes(sequence: entry.sequence)
        do throws(LinkFailure) {
          try core.link.send(OutgoingMessage(subject: subject, header: header, payload: payload))
          sent += 1
        } catch .disconnected, .closed {
          return index
        } catch .tooLarge {
          throw NATSError(.tooLarge, "\(payload.count) bytes")
        } catch {
          throw NATSError(.refused, "\(error)")
        }
      } catch {
        let kind: BridgeReport.Kind =
          switch error.code {
          case .notEncodable: .notEncodable
          case .tooLarge: .tooLarge
          default: .notStored
          }
        core.tally.report(BridgeReport(kind, event, error.detail))
      }
    }
    return batch.count
  }

  override func reconnected() { durable?.reconnected() }

  override func allSoFar() -> Promise<Void> {
    if let durable { return durable.allSoFar() }
    let promise = Promise<Void>()
    let due = state.withLock { state in
      if state.buffer.isEmpty, !state.isAwake { state.doneSequence = state.lastSequence }
      state.waiters.add(state.lastSequence, promise)
      return state.waiters.take(reached: state.doneSequence)
    }
    for promise in due { promise.fulfil(.success(())) }
    return promise
  }

  override func close() {
    durable?.close()
    let (dropped, due) = state.withLock { state in
      state.isClosed = true
      return (state.buffer.take(), state.waiters.take(reached: .max))
    }
    if !dropped.isEmpty {
      core.object?.tally.report(BridgeReport(.droppedOutgoing, event, count: dropped.count))
    }
    for promise in due { promise.fulfil(.success(())) }
  }
}

extension EventCodec {
  /// The bytes of a payload.
  func bytes(of payload: Payload, _ event: String) throws(NATSError) -> [UInt8] {
    do {
      return try encode(payload)
    } catch {
      throw NATSError(.notEncodable, "A payload of \(event) cannot be encoded: \(error)")
    }
  }
}
