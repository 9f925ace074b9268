/// The numbers of events of a bridge since its creation.
public struct BridgeCounts: Sendable, Equatable {
  /// The events sent, each counted once.
  public internal(set) var sent = 0
  /// The durable events that the server has stored.
  public internal(set) var stored = 0
  /// The durable events sent again, as their acknowledgements were missing.
  public internal(set) var resent = 0
  /// The events posted on the bus.
  public internal(set) var received = 0
  /// The durable deliveries that were acknowledged without a call of handlers, as the events were handled before.
  public internal(set) var duplicates = 0
  /// The reports of each kind, by the number of events.
  private var reports: [BridgeReport.Kind: Int] = [:]

  init() {}

  /// All numbers by their names, for the counters of a library of metrics: those of this type, and those of the kinds
  /// of reports that have occurred.
  ///
  /// They only grow; ``BridgeLevels`` has the numbers for gauges.
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
