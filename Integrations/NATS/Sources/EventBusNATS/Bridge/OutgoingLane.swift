internal import EventBus
private import _EventBusLocks

/// The way of one event out of the process.
class AnyOutgoingLane: @unchecked Sendable {  // Reason: subclasses lock.
  /// Sends what waits; on the queue of the bridge.
  func flush(_ core: BridgeCore) {}
  /// Notes that the connection was made again.
  func reconnected() {}
  /// A promise that is kept when everything so far was sent, or is stored.
  func allSoFar() -> Promise<Void> { Promise() }
  /// Drops everything, and counts it.
  ///
  /// - Parameter error: What the posters of durable events get; `nil` for one that says it was closed.
  func close(_ error: NATSError?) {}
  /// The last sequence that was given to an event.
  var lastSequence: UInt64 { 0 }
  /// The subject of the event.
  var subject: String { "" }
  /// Notes that the server has denied one of the messages.
  func denied(_ denial: Denial, _ core: BridgeCore) {}
  /// What sends durable messages, for answers.
  var sender: DurableSender? { nil }
}

/// A live event that waits to be sent.
///
/// Not generic, as the compiler would not specialise the buffer of events.
private struct WaitingEvent {
  let sequence: UInt64
  let payload: AnyWaitingPayload
  let fields: [String: String]
  /// The payload as it is sent, if that is known.
  var bytes: [UInt8]?
}

private class AnyWaitingPayload: @unchecked Sendable {  // Reason: constant.
  func encode() throws -> [UInt8] { [] }
}

private final class WaitingPayload<Payload: Sendable>: AnyWaitingPayload,
  @unchecked Sendable  // Reason: constant.
{
  private let payload: Payload
  private let codec: EventCodec<Payload>
  init(_ payload: Payload, _ codec: EventCodec<Payload>) {
    (self.payload, self.codec) = (payload, codec)
  }
  override func encode() throws -> [UInt8] { try codec.encode(payload) }
}

private struct OutgoingState {
  var buffer: BoundedBuffer<WaitingEvent>
  /// The number from which on payloads wait as they were posted.
  var firstRaw: UInt64 = 1
  var lastSequence: UInt64 = 0
  /// The number of the last event that was sent or dropped.
  var doneSequence: UInt64 = 0
  var waiters = Waiters()
  var isAwake = false
  var isClosed = false

  /// Adds an event.
  ///
  /// - Returns: What dropped, and whether the queue must be woken.
  mutating func append(
    _ payload: AnyWaitingPayload,
    _ fields: [String: String]
  ) -> (dropped: [WaitingEvent], wakes: Bool) {
    let waiting = WaitingEvent(sequence: lastSequence + 1, payload: payload, fields: fields)
    if isClosed { return ([waiting], false) }
    lastSequence += 1
    let dropped = buffer.append(waiting, size: 0)
    defer { isAwake = true }
    return (dropped, !isAwake)
  }
}

/// The way of one event out of the process.
///
/// Live events wait in a buffer of the lane, from which the oldest drop. The number of an event is given to it
/// when it is posted, so that receivers miss what dropped.
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

  override func denied(_ denial: Denial, _ core: BridgeCore) {
    if let durable { return durable.denied(denial.text) }
    core.tally.report(BridgeReport(.notAuthorized, event, denial.text))
  }

  /// Takes an event that was posted.
  func enqueue(_ payload: Payload) {
    if durable != nil {
      let refusal = post(payload, core.object.flatMap { PostFollower.current(event, $0.bus) }) {
        _ in
      }
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
  ///   - local: What becomes of the event on the bus on which it was posted.
  ///   - completion: Called with what becomes of it at the server.
  /// - Returns: Why it was not added.
  func post(
    _ payload: Payload,
    _ local: LocalPost?,
    _ completion: @escaping @Sendable (Result<Receipt, NATSError>) -> Void
  ) -> NATSError? {
    guard let durable else {
      return NATSError(.notCarried, "The event \(event) is carried live")
    }
    // The id is not to be guessed: the server would store nothing under one that another publisher has used.
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
      for promise in due { promise.fulfil(.success(())) }
      if sent < batch.count { return }
    }
  }

  /// Encodes what waits for a connection, so that its size is known.
  ///
  /// A payload that cannot be encoded is reported when it would be sent.
  private func encodeWaiting(_ core: BridgeCore) {
    while true {
      let raw = state.withLock { state in
        // The buffer has all numbers from its first one on.
        let first = state.buffer.first?.sequence ?? 0
        let start = Int(max(first, state.firstRaw) - first)
        let raw = (start..<max(start, min(start + 64, state.buffer.count)))
          .compactMap { state.buffer[$0] }
        if raw.isEmpty { state.isAwake = false }
        return raw
      }
      guard let last = raw.last else { return }
      let encoded = raw.map { entry in
        // Reason for `try?`: the error is met again when the event is sent.
        (entry.sequence, entry.bytes ?? (try? entry.payload.encode()))
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
  /// - Returns: How many are done.
  private func send(_ batch: [WaitingEvent], _ core: BridgeCore) -> Int {
    var sent = 0
    defer { core.tally.count { $0.sent += sent } }
    for (index, entry) in batch.enumerated() {
      do throws(NATSError) {
        let payload =
          if let bytes = entry.bytes { bytes } else { try Self.bytes(of: entry.payload, event) }
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

  private static func bytes(of payload: AnyWaitingPayload, _ event: String) throws(NATSError)
    -> [UInt8]
  {
    do {
      return try payload.encode()
    } catch {
      throw NATSError(.notEncodable, "A payload of \(event) cannot be encoded: \(error)")
    }
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

  override func close(_ error: NATSError?) {
    durable?.close(error)
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
