/// A report of undelivered or late events, or of the connection.
public struct BridgeReport: Sendable, CustomStringConvertible {
  /// The reason of a report.
  public enum Kind: Sendable, Equatable {
    /// A live event was not sent: the outgoing buffer was full and its oldest event dropped, or the bridge or
    /// its connection was closed.
    case droppedOutgoing
    /// The incoming buffer was full, as handlers were slow, and its oldest events dropped.
    case droppedIncoming
    /// Too many durable events wait for the server: the newest was refused.
    case refused
    /// The server forbids sending or receiving the event, or an operation that this needs: each denied message
    /// counts, and so does each attempt to listen or to prepare. A denied live event also counts as sent.
    case notAuthorized
    /// A payload could not be encoded.
    case notEncodable
    /// A message is larger than the server accepts.
    case tooLarge
    /// The server did not store a durable event; the detail says whether it is sent again.
    case notStored
    /// A durable event was given up before its acknowledgement came, as the bridge, its connection or the
    /// carrying ended. The server may have stored it.
    case givenUp
    /// Events of a sender are missing.
    case gap
    /// An event came twice, or after a later one.
    case past
    /// A message had no header of a bridge, or an unreadable or implausible one.
    case unreadableHeader
    /// The version or the content type of a payload is unknown.
    case unknownVersion
    /// A payload could not be decoded.
    case unreadablePayload
    /// A handler of a durable event failed; the server delivers the event again.
    case failed
    /// A durable event became a dead letter.
    case deadLetter
    /// The server refused a dead letter, even without its payload: the event was terminated without one.
    case deadLetterRefused
    /// Several processes have the name of one node at the same time: reported once while that lasts.
    case nodeClash
    /// A node was not added, as the table of nodes is full; each of its heartbeats counts.
    case nodeIgnored
    /// A stream, a consumer or a subscription could not be prepared; the bridge repeats the attempt.
    case notPrepared
    /// The consumer of an event, or its stream, was deleted at the server, and made again. Events of a deleted stream
    /// are lost; those that were handled may come again.
    case deleted
    /// There is no connection, as it broke or as no server is there yet: reported once until there is one. While the
    /// first connection is waited for, another reason is reported as well, and a lasting one once a minute.
    case disconnected
    /// There is a connection again, or for the first time after a wait; the detail says after what time.
    case connected
  }

  /// The reason of the report.
  public let kind: Kind
  /// The name of the event; `_node` for heartbeats, `_connection` for the connection.
  public let event: String
  /// The number of events.
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
  ///
  /// Line breaks and other control characters are escaped, as another program may have chosen the texts.
  public var fields: [String: String] {
    var fields = ["kind": "\(kind)", "event": event, "count": "\(count)"]
    fields["node"] = node
    if !detail.isEmpty { fields["detail"] = detail }
    return fields.mapValues(\.onOneLine)
  }

  /// The report in one line, with line breaks and other control characters escaped.
  public var description: String {
    var text = "\(kind): \(count) × \(event)"
    if let node { text += " from \(node)" }
    return (detail.isEmpty ? text : "\(text): \(detail)").onOneLine
  }
}

extension BridgeReport.Kind {
  /// The kind of a report about an event that an error has kept from being sent or stored.
  init(of error: NATSError) {
    switch error.code {
    case .notEncodable: self = .notEncodable
    case .notAuthorized: self = .notAuthorized
    case .tooLarge: self = .tooLarge
    default: self = .notStored
    }
  }
}
