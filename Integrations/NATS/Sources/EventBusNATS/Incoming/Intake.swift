internal import EventBus

/// The reason why a message is not an event.
struct IntakeProblem: Error {
  let kind: BridgeReport.Kind
  let detail: String
  var node: String?
}

/// The steps that both kinds of incoming lanes share: checking a message, decoding it, and finding its sender.
struct Intake<Payload: Sendable>: Sendable {
  let name: EventName<Payload>
  let codec: EventCodec<Payload>
  let publishers: EventBridge.Publishers
  let propagation: EventPropagation?

  init(
    _ name: EventName<Payload>,
    _ codec: EventCodec<Payload>,
    _ publishers: EventBridge.Publishers,
    _ core: BridgeCore
  ) {
    (self.name, self.codec, self.publishers) = (name, codec, publishers)
    propagation = core.configuration.propagation
  }

  /// Whether messages are read with all their headers.
  var readsFields: Bool { publishers == .all || propagation != nil }

  /// Returns whether a message comes from another program, and may be an event.
  func isForeign(_ message: LinkMessage) -> Bool { publishers == .all && message.header == nil }

  /// The payload of a message of another program.
  func foreignPayload(of message: LinkMessage) throws(IntakeProblem) -> Payload {
    do throws(ForeignMessage.Problem) {
      try ForeignMessage.check(message.fields, contentType: codec.contentType)
    } catch {
      switch error {
      case .unreadable(let words): throw IntakeProblem(kind: .unreadableHeader, detail: words)
      case .unknown(let words): throw IntakeProblem(kind: .unknownVersion, detail: words)
      }
    }
    do {
      return try codec.decode(message.payload)
    } catch {
      throw IntakeProblem(kind: .unreadablePayload, detail: "\(error)")
    }
  }

  func header(of message: LinkMessage) throws(IntakeProblem) -> WireHeader {
    var reader = HeaderReader()
    return try header(of: message, &reader)
  }

  func header(
    of message: LinkMessage,
    _ reader: inout HeaderReader
  ) throws(IntakeProblem) -> WireHeader {
    guard let bytes = message.header else {
      throw IntakeProblem(kind: .unreadableHeader, detail: "no header \(WireHeader.name)")
    }
    guard let header = reader.read(bytes) else {
      throw IntakeProblem(kind: .unreadableHeader, detail: "the header cannot be read")
    }
    return header
  }

  func payload(of message: LinkMessage, _ header: WireHeader) throws(IntakeProblem) -> Payload {
    guard header.version == codec.version, header.contentType == codec.contentType else {
      throw IntakeProblem(
        kind: .unknownVersion,
        detail: "version \(header.version) of \(header.contentType)",
        node: header.node
      )
    }
    do {
      return try codec.decode(message.payload)
    } catch {
      throw IntakeProblem(kind: .unreadablePayload, detail: "\(error)", node: header.node)
    }
  }
}

extension Intake {
  /// Posts an event and waits for its handlers.
  ///
  /// - Returns: The reason why it counts as unhandled; `nil` if it was handled.
  func post(
    _ payload: Payload,
    from header: WireHeader?,
    _ fields: [String: String],
    _ core: BridgeCore
  ) async -> String? {
    let arrival = Outlets.outlet(core.bus, name).map { Arrival($0) }
    let node = header.map { core.node($0.node) }
    var posted: PostOutcome?
    await propagation.restore(fields) {
      posted = await Arrival.$current.withValue(arrival) {
        await core.bus.postAndWait(name, payload, from: node)
      }
    }
    guard let outcome = posted else { return "the propagation did not post the event" }
    if let error = outcome.errors.first { return "a handler failed: \(error)" }
    if outcome.cancelledCount > 0 { return "a handler was cancelled" }
    if outcome.droppedCount > 0 { return "a handler dropped the event" }
    let ownObservers = arrival?.wasSeen == true ? 1 : 0
    return outcome.reachedCount > ownObservers ? nil : "there is no handler"
  }
}
