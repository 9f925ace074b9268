public import EventBus
private import _EventBusLocks

/// Carries chosen events of a bus to other processes, and those of other processes to the bus.
///
/// ```swift
/// import EventBus
/// import EventBusNATS
///
/// extension EventNames {
///   static let userDidLogIn = EventName<String>("user.didLogIn")
///   static let orderPlaced = EventName<[String]>("order.placed")
/// }
///
/// func start() async throws -> EventBridge {
///   let nats = try await NATSConnection("nats://127.0.0.1:4222")
///   let bridge = EventBridge(.default, over: nats, node: "mailbox-1")
///   bridge.carry(.userDidLogIn)
///   bridge.carry(.orderPlaced, .outgoing, delivery: .durable(stream: "ORDERS"))
///   let receipt = try await bridge.post(.orderPlaced, ["tea"])
///   print("stored as number", receipt.sequence)
///   return bridge
/// }
/// ```
///
/// A received event is never sent back. The bridge subscribes only to carried events. It works from its creation until
/// it is released; as a service, or with ``drain(within:)``, it ends gracefully.
///
/// ## Thread safety
///
/// Every member may be used on any thread. Live events are posted on a queue for each event, durable ones in a
/// task for each event.
public final class EventBridge: Sendable {
  /// The direction in which an event is carried.
  public enum Direction: Sendable {
    /// From the bus to other processes, and from them to the bus.
    case both
    /// From the bus to other processes.
    case outgoing
    /// From other processes to the bus.
    case incoming
  }

  /// The guarantee of delivery for an event.
  public enum Delivery: Sendable {
    /// At most once, to the processes that listen when it is sent.
    case live
    /// At least once: stored in a stream, and delivered to each consumer until it has been handled.
    ///
    /// Processes that name the same consumer share its events. Without a name, the node is the consumer: it begins
    /// with as many stored events as the name of the event keeps for replay, and keeps its position for a day.
    case durable(stream: String, consumer: String? = nil)
    /// At most once, to one member of a group.
    case queueGroup(String)
  }

  /// The programs whose messages become events.
  public enum Publishers: Sendable {
    /// Bridges; other messages are counted as unreadable.
    case bridges
    /// Any program: a message without the header of a bridge is an event if its payload can be decoded.
    ///
    /// One with headers that begin with `ce-` must be a CloudEvent 1.0 in binary mode. A header `Content-Type`
    /// must fit the codec: `application/json` for `json`. Such an event has no sender, and no sequence by which
    /// gaps are noticed. Pass a codec for the schema of the other program.
    case all
  }

  let core: BridgeCore
  private let tokens = TokenBag()
  private let waysOut = Locked<[AnyEventName: Token]>([:])
  /// The owner of the link, which closes the connection when it is released.
  private let owner: NATSConnection?

  /// Creates a bridge.
  ///
  /// - Parameters:
  ///   - bus: The bus, which the bridge keeps.
  ///   - connection: The connection, which several bridges may share.
  ///   - node: The name of this process among the others: unique, and the same after a restart.
  ///   - configuration: Limits and times.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public convenience init(
    _ bus: EventBus,
    over connection: NATSConnection,
    node: String,
    configuration: Configuration = Configuration(),
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(
      bus,
      link: connection.link,
      owner: connection,
      node: node,
      configuration,
      fileID: fileID,
      line: line
    )
  }

  /// Creates a bridge over any link.
  package init(
    _ bus: EventBus,
    link: any Link,
    owner: NATSConnection? = nil,
    node: String,
    _ configuration: Configuration,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let mistake: (problem: String, remedy: String)? =
      if node.isEmpty {
        ("The name of the node is empty", "Give it a name that no other process has")
      } else if !configuration.streamLimits.arePositive {
        ("A stream limit of the node \"\(node)\" is not positive", "Pass a positive value, or nil")
      } else if configuration.prefix.isEmpty {
        ("The subject prefix of the node \"\(node)\" is empty", "Pass a name such as \"events\"")
      } else {
        nil
      }
    if let mistake { trap(mistake.problem, remedy: mistake.remedy, fileID: fileID, line: line) }
    core = BridgeCore(bus, link, node, configuration)
    self.owner = owner
    core.backlog.announcements.work = { [weak self] in self?.announceFall() }
    core.start()
  }

  deinit {
    core.stop()
    tokens.cancelAll()
  }

  /// The name of this node.
  public var nodeName: String { core.node }

  /// The numbers of events since the creation of the bridge.
  public var counts: BridgeCounts { core.tally.counts }

  /// The waiting events: those for the server, and those at the server for this process.
  ///
  /// - Complexity: O(*n*) in the number of carried events.
  public var levels: BridgeLevels { core.levels }

  /// The number of events that wait for the server: ``BridgeLevels/waitingEvents``.
  ///
  /// A producer that would fill the limits of the bridge pauses while the number is above
  /// ``Configuration/waitingMark``. After such a number, `waitingDidFall` is always posted:
  ///
  /// ```swift
  /// import EventBus
  /// import EventBusNATS
  ///
  /// func produce(_ numbers: [Int], _ name: EventName<Int>, on bus: EventBus, over bridge: EventBridge) async {
  ///   var falls = bus.events(.waitingDidFall, from: bridge, buffering: .bufferingNewest(1))
  ///     .makeAsyncIterator()
  ///   for number in numbers {
  ///     while bridge.waitingCount > 1000 {
  ///       guard await falls.next() != nil else { return }  // cancelled
  ///     }
  ///     bus.post(name, number)
  ///   }
  /// }
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of carried events.
  public var waitingCount: Int {
    // Twice: after the first number was noted, the next fall is announced.
    core.backlog.note(core.waitingCount)
    let count = core.waitingCount
    core.backlog.note(count)
    return count
  }

  private func announceFall() { core.bus.post(.waitingDidFall, core.waitingCount, from: self) }

  /// The other present nodes, sorted by name.
  public var nodes: [Node] { core.presentNodes }

  /// Another node, present or not, as a sender for `from:` and as an owner of a lifetime.
  ///
  /// - Parameter name: The name of the node.
  /// - Returns: The same object for the same name.
  public func node(_ name: String) -> Node { core.node(name, isAsked: true) }

  /// Waits until all events carried so far are prepared: streams and consumers exist, and the server has the
  /// subscriptions.
  ///
  /// A server that rejects a stream or a consumer as it is configured, such as one without JetStream, is not a reason
  /// to wait: its words are thrown at once, and the bridge tries again, with pauses.
  ///
  /// - Parameter limit: The longest wait, as for a connection.
  /// - Throws: ``NATSError`` with the code `notAuthorized` if the server forbids an operation that an event needs, or
  ///   still refuses the credentials when the time is over; `refused` if it rejects a stream or a consumer;
  ///   `invalidName` if these cannot be used; `timedOut`, `closed` or `cancelled`. After the first two and after
  ///   `timedOut`, the bridge goes on trying.
  public func waitUntilPrepared(within limit: Duration = .seconds(30)) async throws(NATSError) {
    try await core.preparations.waitUntilPrepared(within: limit)
  }

  /// Whether there is a connection, and everything that is carried so far is prepared.
  ///
  /// For probes of readiness: it is `false` while the server refuses the credentials of the connection, and while a
  /// stream or a consumer is missing.
  public var isPrepared: Bool {
    core.link.isConnected && !core.isStopped && core.preparations.arePrepared
  }

  /// Waits until every event posted so far has reached the server, and every durable one is stored.
  ///
  /// Waits as long as there is no connection; returns early when the task is cancelled, and when the connection is
  /// closed for good: the events given up are counted then.
  public func waitUntilFlushed() async { await core.waitUntilFlushed() }

  /// Ends the bridge: stops receiving, waits for running handlers, sends waiting events, and announces the end.
  ///
  /// It does so even in a cancelled task. If no server was there yet, it waits for one only as long as durable events
  /// wait.
  ///
  /// - Parameter limit: The longest wait for handlers and the server. The remaining events are given up, counted and
  ///   reported, before the method returns unless the hook is slow.
  public func drain(within limit: Duration = .seconds(10)) async {
    let isOver = Promise<Void>()
    let work = Task { [core] in
      await core.stopReceiving()
      await core.waitUntilFlushed(isEnding: true)
      await core.leave()
      await core.waitUntilFlushed(isEnding: true)
      isOver.fulfill()
    }
    // A handler that never returns must not delay the end.
    await isOver.wait(within: limit)
    work.cancel()
    core.stop()
    tokens.cancelAll()
    // The program may end now: what it lost is reported before.
    await core.tally.delivered().wait(within: .seconds(1))
  }

  func keep(_ token: Token) { token.store(in: tokens) }

  /// Ends the former way of an event out of the process.
  func replaceWayOut(_ name: AnyEventName, by token: Token?) {
    let former = waysOut.withLock { ways in
      defer { ways[name] = token }
      return ways[name]
    }
    former?.cancel()
  }
}
