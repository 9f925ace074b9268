/// Something that a bridge could not deliver, or delivered late.
public struct BridgeReport: Sendable, CustomStringConvertible {
  /// What happened.
  public enum Kind: Sendable, Equatable {
    /// A live event was not sent: the outgoing buffer was full and its oldest event dropped, or the bridge or
    /// its connection was closed.
    case droppedOutgoing
    /// The incoming buffer was full, as handlers were slow, and its oldest events dropped.
    case droppedIncoming
    /// Too many durable events wait for the server: the newest was refused.
    case refused
    /// The server forbids to send or to receive the event, or what that needs: each message that was denied
    /// counts, and so does each attempt to listen or to prepare. A live event that was denied counts as sent, too.
    case notAuthorized
    /// A payload could not be encoded.
    case notEncodable
    /// A message is larger than the server accepts.
    case tooLarge
    /// The server did not store a durable event; the detail says whether it is tried again.
    case notStored
    /// A durable event was given up before its acknowledgement came, as the bridge, its connection or the
    /// carrying ended. The server may have stored it.
    case givenUp
    /// Events of a sender are missing.
    case gap
    /// An event came twice, or after a later one.
    case past
    /// A message had no header of a bridge, or one that cannot be read or believed.
    case unreadableHeader
    /// The version or the content type of a payload is unknown.
    case unknownVersion
    /// A payload could not be decoded.
    case unreadablePayload
    /// A handler of a durable event failed; the event comes again.
    case failed
    /// A durable event became a dead letter.
    case deadLetter
    /// The server refused a dead letter, even without its payload: the event was terminated without one.
    case deadLetterRefused
    /// Several processes have the name of one node at the same time: reported once while that lasts.
    case nodeClash
    /// A node was not noted, as the table of nodes is full; each of its heartbeats counts.
    case nodeIgnored
    /// A stream, a consumer or a subscription could not be prepared; the bridge tries again.
    case notPrepared
  }

  /// What happened.
  public let kind: Kind
  /// The name of the event, or that of the heartbeats.
  public let event: String
  /// How many events are concerned.
  public let count: Int
  /// The sending node, if it is known.
  public let node: String?
  /// The words of the server, of the codec or of a handler's error.
  public let detail: String

  init(_ kind: Kind, _ event: String, count: Int = 1, node: String? = nil, _ detail: String = "") {
    self.kind = kind
    self.event = event
    self.count = count
    self.node = node
    self.detail = detail
  }

  /// The report as fields of text, for the metadata of a log: kind, event, count, and node and detail if known.
  public var fields: [String: String] {
    var fields = ["kind": "\(kind)", "event": event, "count": "\(count)"]
    fields["node"] = node
    if !detail.isEmpty { fields["detail"] = detail }
    return fields
  }

  /// The report in one line.
  public var description: String {
    var text = "\(kind): \(count) × \(event)"
    if let node { text += " from \(node)" }
    return detail.isEmpty ? text : "\(text): \(detail)"
  }
}

/// What a bridge has counted since it was created.
public struct BridgeCounts: Sendable, Equatable {
  /// The events sent, each counted once.
  public internal(set) var sent = 0
  /// The durable events that the server has stored.
  public internal(set) var stored = 0
  /// The durable events sent again, as their acknowledgement was missing.
  public internal(set) var resent = 0
  /// The events posted on the bus.
  public internal(set) var received = 0
  /// The durable deliveries that were answered without a call of handlers, as the event was handled before.
  public internal(set) var duplicates = 0
  /// The reports of each kind, by the number of events.
  private var reports: [BridgeReport.Kind: Int] = [:]

  init() {}

  /// All numbers by their names, for a library of metrics: those of this type, and those of the kinds of reports
  /// that have occurred.
  public var values: [String: Int] {
    var values = [
      "sent": sent, "stored": stored, "resent": resent, "received": received,
      "duplicates": duplicates,
    ]
    for (kind, count) in reports { values["\(kind)"] = count }
    return values
  }

  /// The number of events with a report of a kind.
  ///
  /// - Parameter kind: The kind.
  public internal(set) subscript(_ kind: BridgeReport.Kind) -> Int {
    get { reports[kind, default: 0] }
    set { reports[kind] = newValue }
  }
}
