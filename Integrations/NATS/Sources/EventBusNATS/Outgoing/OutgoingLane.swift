internal import EventBus
private import _EventBusLocks

/// Carries one event out of the process.
///
/// Live events wait in a buffer of the lane, from which the oldest drop. An event gets its sequence when it is posted,
/// so that receivers notice dropped ones.
final class OutgoingLane<Payload: Sendable>: AnyOutgoingLane,
  @unchecked Sendable  // Reason: locked.
{
  private let state: Locked<OutgoingState>
  private let core: Weak<BridgeCore>
  private let event: String
  private let eventSubject: String
  private let template: WireHeader.Template
  private let codec: EventCodec<Payload>
  private let idPrefix: String
  private let propagation: EventPropagation?
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
    let configuration = core.configuration
    state = Locked(
      OutgoingState(
        buffer: BoundedBuffer(
          limit: configuration.bufferLimit,
          sizeLimit: configuration.byteLimit
        )
      )
    )
    self.core = Weak(core)
    event = name.name
    eventSubject = Subject.event(name.name, prefix: core.prefix)
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
    propagation = configuration.propagation
    base = core.sequence(name)
    let base = base
    state.withLock { ($0.lastSequence, $0.doneSequence) = (base, base) }
  }

  override var lastSequence: UInt64 {
    if let durable { return base + durable.lastSerial }
    return state.withLock { $0.lastSequence }
  }

  override var sender: DurableSender? { durable }

  override var subject: String { eventSubject }

  override var waiting: (events: Int, bytes: Int) {
    durable?.waiting ?? state.withLock { ($0.buffer.count, $0.buffer.size) }
  }

  override func denied(_ denial: Denial, _ core: BridgeCore) {
    if let durable { return durable.denied(denial.text) }
    core.tally.report(BridgeReport(.notAuthorized, event, denial.text))
  }

  /// Adds a posted event.
  func enqueue(_ payload: Payload) {
    if durable != nil {
      let local = core.object.flatMap { PostFollower.current(event, $0.bus) }
      let refusal = post(payload, local, isAwaited: false) { _ in }
      if let refusal { core.object?.tally.report(BridgeReport(.refused, event, refusal.detail)) }
      return
    }
    let waiting = WaitingPayload(payload, codec)
    let fields = propagation.fields()
    let (dropped, wakes) = state.withLock { $0.append(waiting, fields) }
    if !dropped.isEmpty {
      core.object?.tally.report(BridgeReport(.droppedOutgoing, event, count: dropped.count))
    }
    if wakes { core.object?.wake() }
  }

  /// Adds a durable event.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - local: The outcome of the event on the bus on which it was posted.
  ///   - isAwaited: Whether a task waits for the outcome at the server.
  ///   - completion: Called with the outcome at the server.
  /// - Returns: The reason why it was refused; `nil` if it was added.
  func post(
    _ payload: Payload,
    _ local: LocalPost?,
    isAwaited: Bool,
    _ completion: @escaping @Sendable (Result<EventBridge.Receipt, NATSError>) -> Void
  ) -> NATSError? {
    guard let durable else {
      return NATSError(.notCarried, "The event \(event) is carried live")
    }
    // The identifier is random: the server would store nothing under one that another publisher has used.
    let fields = propagation.fields()
    let nonce = UInt64.random(in: 0 ... .max)
    let letter = Letter(
      message: {
        [weak core = core.object, subject = eventSubject, template, codec, idPrefix, event, base]
        serial throws(NATSError) in
        if let local, let core { core.localPosts.add(local, event, base + serial) }
        return OutgoingMessage(
          subject: subject,
          header: template.bytes(sequence: base + serial),
          id: "\(idPrefix)\(serial)-\(String(nonce, radix: 36))",
          fields: fields,
          payload: try codec.bytes(of: payload, event)
        )
      },
      isAwaited: isAwaited,
      completion: completion
    )
    if let refusal = durable.append(letter) { return refusal }
    core.object?.wake()
    return nil
  }

  override func flush(_ core: BridgeCore) {
    if let durable { return durable.flush(core) }
    if !core.link.isConnected { encodeWaiting(core) }
    while core.link.isConnected {
      let batch = state.withLock { state in
        let batch = state.buffer.take(512)
        if batch.isEmpty { state.isAwake = false }
        return batch
      }
      if batch.isEmpty { break }
      let sent = send(batch, core)
      let (dropped, due) = state.withLock { state in
        let dropped = state.buffer.putBack(batch[sent...], size: { $0.bytes?.count ?? 0 })
        state.doneSequence = (state.buffer.first?.sequence ?? state.lastSequence + 1) - 1
        if sent < batch.count { state.isAwake = false }
        return (dropped, state.waiters.take(reached: state.doneSequence))
      }
      if !dropped.isEmpty {
        core.tally.report(BridgeReport(.droppedOutgoing, event, count: dropped.count))
      }
      for promise in due { promise.fulfill() }
      if sent < batch.count { return }
    }
  }

  /// Encodes the events that wait for a connection, so that their sizes are known.
  ///
  /// A payload that cannot be encoded is reported when it would be sent.
  private func encodeWaiting(_ core: BridgeCore) {
    while true {
      let raw = state.withLock { state in
        // The buffer has all sequences from its first one on.
        let first = state.buffer.first?.sequence ?? 0
        let start = Int(max(first, state.firstRaw) - first)
        let raw = (start..<max(start, min(start + 64, state.buffer.count)))
          .compactMap { state.buffer[$0] }
        if raw.isEmpty { state.isAwake = false }
        return raw
      }
      guard let last = raw.last else { return }
      let encoded = raw.map { entry in
        // Reason for `try?`: the error occurs again when the event is sent.
        (entry.sequence, entry.bytes ?? (try? entry.payload.bytes(event)))
      }
      let dropped = state.withLock { state in
        state.firstRaw = last.sequence + 1
        var dropped = 0
        for (sequence, bytes) in encoded {
          guard let bytes, let first = state.buffer.first?.sequence, sequence >= first,
            var entry = state.buffer[Int(sequence - first)]
          else { continue }
          entry.bytes = bytes
          dropped +=
            state.buffer.replace(at: Int(sequence - first), by: entry, size: bytes.count).count
        }
        return dropped
      }
      if dropped > 0 {
        core.tally.report(BridgeReport(.droppedOutgoing, event, count: dropped))
      }
    }
  }

  /// Sends events until the connection breaks.
  ///
  /// - Returns: The number of events that were sent or refused.
  private func send(_ batch: [WaitingEvent], _ core: BridgeCore) -> Int {
    var sent = 0
    defer { core.tally.count { $0.sent += sent } }
    for (index, entry) in batch.enumerated() {
      do throws(NATSError) {
        let payload =
          if let bytes = entry.bytes { bytes } else { try entry.payload.bytes(event) }
        let header = template.bytes(sequence: entry.sequence)
        do throws(LinkFailure) {
          let subject = eventSubject
          try core.link.send(
            OutgoingMessage(
              subject: subject,
              header: header,
              fields: entry.fields,
              payload: payload
            )
          )
          sent += 1
        } catch .disconnected, .closed {
          return index
        } catch .tooLarge {
          throw NATSError(.tooLarge, "\(payload.count) bytes")
        } catch {
          throw NATSError(.refused, "\(error)")
        }
      } catch {
        core.tally.report(BridgeReport(.init(of: error), event, error.detail))
      }
    }
    return batch.count
  }

  override func reconnected() { durable?.reconnected() }

  override func allSoFar() -> Promise<Void> {
    if let durable { return durable.allSoFar() }
    let promise = Promise<Void>()
    let due = state.withLock { state in
      // A lane that was closed while it was about to send has nothing more to send.
      if state.isClosed || state.buffer.isEmpty && !state.isAwake {
        state.doneSequence = state.lastSequence
      }
      state.waiters.add(state.lastSequence, promise)
      return state.waiters.take(reached: state.doneSequence)
    }
    for promise in due { promise.fulfill() }
    return promise
  }

  override func close(_ reason: CloseReason) {
    durable?.close(reason)
    let (dropped, due) = state.withLock { state in
      state.isClosed = true
      return (state.buffer.take(), state.waiters.take(reached: .max))
    }
    if !dropped.isEmpty {
      core.object?.tally.report(BridgeReport(.droppedOutgoing, event, count: dropped.count))
    }
    for promise in due { promise.fulfill() }
  }
}
