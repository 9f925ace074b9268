public import EventBus
public import LaunchLoader
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
/// An event that arrived is never sent back. Nothing is subscribed to that is not carried. The bridge works from
/// its creation until it is released; as a service, or with ``drain(within:)``, it ends gracefully.
///
/// ## Thread safety
///
/// Every member may be used on any thread. Live events are posted on a queue for each event, durable ones in a
/// task for each event.
public final class EventBridge: Sendable {
  /// Which way an event is carried.
  public enum Direction: Sendable {
    /// From the bus to other processes, and from them to the bus.
    case both
    /// From the bus to other processes.
    case outgoing
    /// From other processes to the bus.
    case incoming
  }

  /// What is promised for an event.
  public enum Delivery: Sendable {
    /// At most once: those who listen when it is sent.
    case live
    /// At least once: stored in a stream, and given to each consumer until it has been handled.
    ///
    /// Processes that name the same consumer share its events. Without a name, the node is the consumer: it
    /// begins with as many stored events as the name of the event keeps for replay, and keeps its place for a
    /// day.
    case durable(stream: String, consumer: String? = nil)
    /// At most once, to one member of a group.
    case shared(String)
  }

  /// Whose messages become events.
  public enum Publishers: Sendable {
    /// Those of bridges; others are counted as unreadable.
    case bridges
    /// Those of any program: a message without the header of a bridge is an event if its payload can be decoded.
    ///
    /// One with headers that begin with `ce-` has to be a CloudEvent 1.0 in binary mode. A header `Content-Type`
    /// has to fit the codec: `application/json` for `json`. Such an event has no sender, and no sequence by which
    /// gaps are noticed. Pass a codec for the schema of the other program.
    case all
  }

  let core: BridgeCore
  private let tokens = TokenBag()
  private let waysOut = Locked<[EventNames: Token]>([:])
  /// The link's owner, which closes the connection when it is released.
  private let owner: NATSConnection?

  /// Creates a bridge.
  ///
  /// - Parameters:
  ///   - bus: The bus, which the bridge keeps.
  ///   - connection: The connection, which several bridges may share.
  ///   - node: The name of this process among the others: unique, and the same after a restart.
  ///   - configuration: Limits and times.
  public convenience init(
    _ bus: EventBus,
    over connection: NATSConnection,
    node: String,
    configuration: Configuration = Configuration()
  ) {
    self.init(bus, link: connection.link, owner: connection, node: node, configuration)
  }

  /// Creates a bridge over any link.
  package init(
    _ bus: EventBus,
    link: any Link,
    owner: NATSConnection? = nil,
    node: String,
    _ configuration: Configuration
  ) {
    precondition(
      !node.isEmpty,
      "The name of a node is empty: give it one that no other process has"
    )
    precondition(
      !configuration.prefix.isEmpty,
      "The prefix of the subjects is empty: give it a name, such as \"events\""
    )
    core = BridgeCore(bus, link, node, configuration)
    self.owner = owner
    core.start()
  }

  deinit {
    tokens.cancelAll()
    core.stop()
  }

  /// The name of this node.
  public var nodeName: String { core.node }

  /// What the bridge has counted.
  public var counts: BridgeCounts { core.tally.counts }

  /// The other nodes that are there, sorted by name.
  public var nodes: [Node] { core.presentNodes }

  /// Another node, heard or not, as a sender for `from:` and as an owner of a lifetime.
  ///
  /// - Parameter name: The name of the node.
  /// - Returns: The same object for the same name.
  public func node(_ name: String) -> Node { core.node(name, isAsked: true) }

  /// Waits until everything that is carried so far is prepared: streams and consumers exist, and the server has
  /// the subscriptions.
  ///
  /// Waits as long as there is no connection, and as long as the server does not answer. As a service, the bridge
  /// is ready then.
  ///
  /// - Throws: ``NATSError`` with the code `notAuthorized` if the server forbids what an event needs, which the
  ///   bridge tries again; `invalidName` if a stream or a consumer cannot be used; `closed` or `cancelled`.
  public func prepared() async throws(NATSError) { try await core.preparations.prepared() }

  /// Waits until every event posted so far has reached the server, and every durable one is stored.
  ///
  /// Waits as long as there is no connection; it returns early when the task is cancelled, and when the
  /// connection is closed for good: what was given up is counted then.
  public func waitUntilFlushed() async { await core.waitUntilFlushed() }

  /// Ends the bridge: stops receiving, waits for running handlers, sends what waits, says goodbye.
  ///
  /// It does so in a cancelled task, too.
  ///
  /// - Parameter limit: How long to wait for handlers and the server. What is left then is given up and counted.
  public func drain(within limit: Duration = .seconds(10)) async {
    let isOver = Promise<Void>()
    let work = Task { [core] in
      await core.stopReceiving()
      await core.waitUntilFlushed()
      await core.leave()
      await core.waitUntilFlushed()
      isOver.fulfil(.success(()))
    }
    // A handler that never returns must not hold up the end.
    let timer = Task {
      do { try await Task.sleep(for: limit) } catch { return }
      isOver.fulfil(.success(()))
    }
    // In a task of its own, which is not cancelled with the caller.
    await Task {
      do throws(NATSError) { try await isOver.value() } catch {}
    }.value
    work.cancel()
    timer.cancel()
    tokens.cancelAll()
    core.stop()
  }

  func keep(_ token: Token) { token.store(in: tokens) }

  /// Ends the former way of an event out of the process.
  func replaceWayOut(_ name: EventNames, by token: Token?) {
    let former = waysOut.withLock { ways in
      defer { ways[name] = token }
      return ways[name]
    }
    former?.cancel()
  }
}

extension EventBridge {
  /// The limits and times of a bridge.
  public struct Configuration: Sendable {
    /// The first part of all subjects, not empty: processes with the same prefix hear each other.
    public var prefix = "events"
    /// How many live events of one name wait to be sent, and to be handled; the oldest drop.
    public var bufferLimit = 10_000
    /// How many bytes of payloads of one name wait in each buffer; 64 MB by default.
    ///
    /// There is a buffer for live events in each direction, whose oldest events drop; one for durable events
    /// that the server has not stored, which refuses further ones; and one for durable events that wait for
    /// their handlers, which gives further ones back to the server for later. One event fits, whatever its
    /// size. Payloads count from the moment in which they are encoded, on a queue of the bridge.
    public var byteLimit = 64 << 20
    /// How many durable events of one name wait for the server in memory; further ones are refused.
    public var durableLimit = 100_000
    /// How many durable events of one name wait for acknowledgements of the server at once.
    public var unansweredLimit = 1024
    /// How long to wait for an acknowledgement of the server before an event is sent again.
    public var answerTimeout = Duration.seconds(5)
    /// How many durable events of one name the server gives to this node before they are handled.
    public var handlingLimit = 256
    /// How long the server waits for a sign of life before it gives an event to another member, or again.
    public var handlingTimeout = Duration.seconds(10)
    /// How often the handlers of a durable event are tried.
    public var retry = RetryPolicy()
    /// The time between heartbeats; at most a minute, as other nodes wait for no longer one.
    public var heartbeat = Duration.seconds(2)
    /// The number of servers that store a stream which the bridge creates.
    public var replicas = 1
    /// What travels with events besides their payloads, such as the context of a trace.
    public var propagation: EventPropagation?
    /// Called with everything that was not delivered, on a queue of the bridge.
    public var onReport: (@Sendable (BridgeReport) -> Void)?

    /// Creates a configuration with the default values.
    public init() {}

    /// How long to wait for the server when a stream or a consumer is prepared.
    var requestTimeout: Duration { max(.seconds(1), answerTimeout) }

    /// The time between heartbeats that is used.
    var beat: Duration { min(NodeTable.longestInterval, heartbeat) }

    /// How often timers are looked at.
    var tick: Duration {
      let shortest = min(heartbeat, answerTimeout, handlingTimeout) / 8
      return min(.milliseconds(250), max(.milliseconds(5), shortest))
    }
  }
}

extension EventBridge: AppService {
  /// The name of the service.
  public var serviceName: String { "bridge \(core.node)" }

  /// Carries events until the shutdown, then drains.
  ///
  /// The service is ready when everything that was carried before is prepared: ``prepared()``.
  ///
  /// - Parameter context: The context of the service.
  /// - Throws: ``NATSError``, as ``prepared()`` does.
  public func run(_ context: AppServiceContext) async throws {
    do {
      let isStopping = try await withThrowingTaskGroup { group in
        group.addTask {
          try await self.prepared()
          return false
        }
        group.addTask {
          try await context.untilShutdown()
          return true
        }
        defer { group.cancelAll() }
        return try await group.next() ?? true
      }
      if !isStopping {
        context.markReady()
        try await context.untilShutdown()
      }
      await drain()
    } catch let error as NATSError where error.code != .cancelled {
      await drain(within: .seconds(1))
      throw error
    } catch {
      // The time of a cancelled service is over.
      await drain(within: .seconds(1))
    }
  }
}
