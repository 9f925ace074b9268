import EventBus
import EventBusNATS
import Foundation
import Synchronization
import _EventBusLocks

/// The faults of a scripted link, in percent.
struct Faults: Sendable {
  var lost = 0
  var repeated = 0
  var reordered = 0
}

/// A server in memory: subjects, groups, streams and consumers, with faults by a seed.
///
/// It follows the rules of the real one only where a bridge depends on them.
final class ScriptedServer: Sendable {
  private struct Stored {
    let sequence: UInt64
    let message: LinkMessage
    let error: String?
  }

  private struct Delivery {
    var due: ContinuousClock.Instant
    var count: Int
  }

  private final class Stream {
    var subjects: Set<String> = []
    var messages: [Stored] = []
    var ids: [String: UInt64] = [:]
  }

  private final class StreamConsumer {
    let request: ConsumerRequest
    let deliverySubject: String
    var next = 0
    /// How often each message was delivered.
    var deliveries: [UInt64: Int] = [:]
    var open: [UInt64: Delivery] = [:]
    var floor: UInt64 = 0
    /// How often its receivers asked for more time.
    var reminders = 0

    init(_ request: ConsumerRequest) {
      self.request = request
      deliverySubject = "_DELIVER.\(request.name)"
    }
  }

  private struct State: @unchecked Sendable {  // Reason: used under a lock.
    var generator: SeededGenerator
    var faults = Faults()
    var subscriptions: [ScriptedSubscription] = []
    var held: [(ScriptedSubscription, LinkMessage)] = []
    var streams: [String: Stream] = [:]
    var consumers: [String: StreamConsumer] = [:]
    var turn = 0
    var refusals: [String: @Sendable (OutgoingMessage) -> Bool] = [:]
    var forgery: (@Sendable (OutgoingMessage) -> String?)?
    /// The subjects that may not be used for sending, and for listening.
    var denied: (publish: Set<String>, subscribe: Set<String>) = ([], [])
    var deniedPrefix: String?
    var keepsForgetting = false
    /// The time, if the test holds it.
    var heldTime: ContinuousClock.Instant?
    /// What waits for the next turn.
    var turns: [CheckedContinuation<Void, Never>] = []

    var now: ContinuousClock.Instant { heldTime ?? .now }

    mutating func takeTurns() -> [CheckedContinuation<Void, Never>] {
      defer { turns = [] }
      return turns
    }
  }

  private let state: Locked<State>
  private let queue = DispatchQueue(label: "ScriptedServer")

  init(seed: UInt64) {
    state = Locked(State(generator: SeededGenerator(seed: seed)))
    schedule()
  }

  private func schedule() {
    let next = DispatchTime.now() + .milliseconds(5)
    queue.asyncAfter(deadline: next) { [weak self] in  // Reason: a server has its own clock.
      guard let self else { return }
      tick()
      for turn in state.withLock({ $0.takeTurns() }) { turn.resume() }
      schedule()
    }
  }

  /// Waits until the server has delivered what is due.
  func turn() async {
    await withCheckedContinuation { turn in state.withLock { $0.turns.append(turn) } }
  }

  /// Stops the time after which messages are delivered again: only the test lets it pass.
  func holdTime() { state.withLock { $0.heldTime = $0.now } }

  /// Lets time pass, and delivers what is due then.
  func advance(by duration: Duration) {
    state.withLock { $0.heldTime = $0.now + duration }
    tick()
  }

  /// How often the receivers of a consumer asked for more time.
  func reminders(_ consumer: String) -> Int {
    state.withLock { state in
      state.consumers.first { $0.key.hasPrefix("\(consumer)-") }?.value.reminders ?? 0
    }
  }

  var faults: Faults {
    get { state.withLock { $0.faults } }
    set { state.withLock { $0.faults = newValue } }
  }

  /// The payloads that a stream stores, as texts.
  func stored(_ stream: String) -> [String] {
    state.withLock { state in
      (state.streams[stream]?.messages ?? []).map {
        String(decoding: $0.message.payload, as: UTF8.self)
      }
    }
  }

  /// The dead letters that a stream stores.
  func deadLetters(_ stream: String) -> [(payload: [UInt8], error: String)] {
    state.withLock { state in
      (state.streams[stream]?.messages ?? []).filter { $0.message.subject.contains("._dead.") }
        .map { ($0.message.payload, $0.error ?? "") }
    }
  }

  /// How often a message of a stream was delivered to a consumer.
  func deliveries(_ consumer: String, _ sequence: UInt64) -> Int {
    state.withLock { state in
      state.consumers.first { $0.key.hasPrefix("\(consumer)-") }?.value.deliveries[sequence] ?? 0
    }
  }

  /// Whether anything listens to the deliveries of a consumer.
  func isHeard(_ consumer: String) -> Bool {
    state.withLock { state in
      let subject = state.consumers.first { $0.key.hasPrefix("\(consumer)-") }?.value
        .deliverySubject
      return state.subscriptions.contains { $0.subject == subject }
    }
  }

  /// The numbers of the messages that a consumer was given and that it has not ended.
  func open(_ consumer: String) -> [UInt64] {
    state.withLock { state in
      state.consumers.first { $0.key.hasPrefix("\(consumer)-") }?.value.open.keys.sorted() ?? []
    }
  }

  /// Has a stream refuse messages for good.
  func refuse(_ stream: String, _ condition: @escaping @Sendable (OutgoingMessage) -> Bool) {
    state.withLock { $0.refusals[stream] = condition }
  }

  /// The subjects with a subscription.
  var subjects: [String] { state.withLock { $0.subscriptions.map(\.subject) } }

  /// Delivers a message to those who listen to its subject.
  func deliver(_ message: LinkMessage) {
    for wake in state.withLock({ Self.deliver(message, &$0) }) { wake() }
  }

  /// Answers messages in place of the streams, which do not store them, if the closure returns an answer.
  func forge(_ answer: (@Sendable (OutgoingMessage) -> String?)?) {
    state.withLock { $0.forgery = answer }
  }

  /// Forbids a subject, and ends its subscriptions.
  func deny(_ action: Denial.Action, _ subject: String) {
    state.withLock { state in
      switch action {
      case .publish: state.denied.publish.insert(subject)
      case .subscribe:
        state.denied.subscribe.insert(subject)
        state.subscriptions.removeAll { $0.subject == subject }
      }
    }
  }

  /// Forbids to listen to subjects that begin so.
  func denyPrefix(_ prefix: String) { state.withLock { $0.deniedPrefix = prefix } }

  /// Withdraws all prohibitions.
  func permit() { state.withLock { $0.denied = ([], []) } }

  func isDenied(_ action: Denial.Action, _ subject: String) -> Bool {
    state.withLock { state in
      if action == .publish { return state.denied.publish.contains(subject) }
      return state.denied.subscribe.contains(subject)
        || state.deniedPrefix.map { subject.hasPrefix($0) } == true
    }
  }

  func add(_ subscription: ScriptedSubscription) {
    state.withLock { $0.subscriptions.append(subscription) }
  }

  func remove(_ subscription: ScriptedSubscription) {
    state.withLock { state in state.subscriptions.removeAll { $0 === subscription } }
  }

  /// Takes a message.
  func publish(_ message: OutgoingMessage) {
    let arrived = LinkMessage(
      subject: message.subject,
      reply: message.reply,
      header: message.header,
      fields: message.fields,
      payload: message.payload
    )
    let wakes = state.withLock { state in
      if message.subject.hasPrefix("$JS.ACK.") {
        Self.answer(message, &state)
        return [] as [@Sendable () -> Void]
      }
      if state.generator.happens(state.faults.lost) { return [] }
      var wakes = Self.deliver(arrived, &state)
      if let reply = message.reply, let answer = state.forgery?(message) {
        return wakes
          + Self.deliver(LinkMessage(subject: reply, payload: Array(answer.utf8)), &state)
      }
      let stream = state.streams.first { $0.value.subjects.contains(message.subject) }
      if let stream, state.refusals[stream.key]?(message) == true {
        let words = "{\"error\":{\"code\":400,\"err_code\":10054,\"description\":\"too large\"}}"
        let answer = LinkMessage(subject: message.reply ?? "_", payload: Array(words.utf8))
        wakes += Self.deliver(answer, &state)
      } else if let stream {
        wakes += Self.store(arrived, message, stream.key, stream.value, &state)
      } else if let reply = message.reply {
        let none = LinkMessage(subject: reply, hasNoResponders: true)
        wakes += Self.deliver(none, &state)
      }
      return wakes
    }
    for wake in wakes { wake() }
  }

  private static func store(
    _ message: LinkMessage,
    _ sent: OutgoingMessage,
    _ name: String,
    _ stream: Stream,
    _ state: inout State
  ) -> [@Sendable () -> Void] {
    var isDuplicate = false
    var sequence = UInt64(stream.messages.count + 1)
    if let id = sent.id, let known = stream.ids[id] {
      (isDuplicate, sequence) = (true, known)
    } else {
      stream.messages.append(Stored(sequence: sequence, message: message, error: sent.error))
      if let id = sent.id { stream.ids[id] = sequence }
    }
    guard let reply = message.reply else { return [] }
    let answer = "{\"stream\":\"\(name)\",\"seq\":\(sequence),\"duplicate\":\(isDuplicate)}"
    return deliver(LinkMessage(subject: reply, payload: Array(answer.utf8)), &state)
  }

  /// Passes a message to subscriptions, with faults.
  private static func deliver(
    _ message: LinkMessage,
    to subject: String? = nil,
    _ state: inout State
  ) -> [@Sendable () -> Void] {
    var wakes: [@Sendable () -> Void] = []
    let all = state.subscriptions.filter {
      SubjectPattern.matches(subject ?? message.subject, pattern: $0.subject)
    }
    var chosen = all.filter { $0.group == nil }
    for members in Dictionary(grouping: all.filter { $0.group != nil }, by: { $0.group }).values {
      state.turn += 1
      chosen.append(members[state.turn % members.count])
    }
    for subscription in chosen where subscription.isConnected {
      if state.generator.happens(state.faults.lost) { continue }
      if state.generator.happens(state.faults.reordered) {
        state.held.append((subscription, message))
        continue
      }
      let times = state.generator.happens(state.faults.repeated) ? 2 : 1
      for _ in 0..<times { wakes.append(subscription.append(message)) }
      for (index, held) in state.held.enumerated().reversed() where state.generator.happens(50) {
        wakes.append(held.0.append(held.1))
        state.held.remove(at: index)
      }
    }
    return wakes
  }

  private static func answer(_ message: OutgoingMessage, _ state: inout State) {
    if state.generator.happens(state.faults.lost) { return }
    let tokens = message.subject.split(separator: ".")
    guard let answer = Acknowledgement(message.payload), tokens.count == 9,
      let consumer = state.consumers[String(tokens[3])], let sequence = UInt64(tokens[5]),
      var delivery = consumer.open[sequence]
    else { return }
    switch answer {
    case .done, .terminate: consumer.open[sequence] = nil
    case .inProgress:
      consumer.reminders += 1
      delivery.due = state.now + consumer.request.answerTimeout
      consumer.open[sequence] = delivery
    case .again(let pause):
      delivery.due = state.now + pause
      consumer.open[sequence] = delivery
    }
  }

  /// Delivers stored messages that are due.
  private func tick() {
    let wakes = state.withLock { state in
      var wakes: [@Sendable () -> Void] = []
      let now = state.now
      for consumer in state.consumers.values {
        guard let stream = state.streams[consumer.request.stream] else { continue }
        let isHeard = state.subscriptions.contains { $0.subject == consumer.deliverySubject }
        guard isHeard else { continue }
        while consumer.next < stream.messages.count, consumer.open.count < consumer.request.window {
          let stored = stream.messages[consumer.next]
          consumer.next += 1
          if stored.message.subject == consumer.request.subject {
            consumer.open[stored.sequence] = Delivery(due: now, count: 0)
          }
        }
        for (sequence, delivery) in consumer.open.sorted(by: { $0.key < $1.key })
        where delivery.due <= now {
          let count = delivery.count + 1
          consumer.open[sequence] = Delivery(
            due: now + consumer.request.answerTimeout,
            count: count
          )
          consumer.deliveries[sequence] = count
          var message = stream.messages[Int(sequence) - 1].message
          let names = "\(consumer.request.stream).\(consumer.request.name)"
          message.reply = "$JS.ACK.\(names).\(count).\(sequence).1.\(1000 + sequence).0"
          wakes += Self.deliver(message, to: consumer.deliverySubject, &state)
        }
      }
      return wakes
    }
    for wake in wakes { wake() }
  }

  /// Loses all streams, and makes none.
  func forgetStreams() {
    state.withLock { state in
      state.streams = [:]
      state.keepsForgetting = true
    }
  }

  var keepsForgetting: Bool {
    get { state.withLock(\.keepsForgetting) }
    set { state.withLock { $0.keepsForgetting = newValue } }
  }

  func prepareStream(_ name: String, _ subjects: [String]) {
    state.withLock { state in
      if state.keepsForgetting { return }
      let stream = state.streams[name] ?? Stream()
      stream.subjects.formUnion(subjects)
      state.streams[name] = stream
    }
  }

  func prepareConsumer(_ request: ConsumerRequest) -> Consumer {
    state.withLock { state in
      let known = state.consumers[request.name]
      let consumer = known ?? StreamConsumer(request)
      state.consumers[request.name] = consumer
      return Consumer(
        deliverySubject: consumer.deliverySubject,
        group: request.name,
        floor: consumer.floor,
        isNew: known == nil,
        answerTimeout: consumer.request.answerTimeout
      )
    }
  }
}

/// A subscription of a scripted link.
final class ScriptedSubscription: LinkSubscription {
  let subject: String
  let group: String?
  private let link: Weak
  private let server: ScriptedServer
  private let wake: @Sendable () -> Void
  private let messages: Locked<BoundedBuffer<LinkMessage>>
  private let reported = Locked(0)

  struct Weak: Sendable {
    weak let link: ScriptedLink?
  }

  init(
    _ link: ScriptedLink,
    _ subject: String,
    _ group: String?,
    _ limit: Int,
    _ sizeLimit: Int,
    _ wake: @escaping @Sendable () -> Void
  ) {
    self.link = Weak(link: link)
    server = link.server
    (self.subject, self.group, self.wake) = (subject, group, wake)
    messages = Locked(BoundedBuffer(limit: limit, sizeLimit: sizeLimit))
  }

  var isConnected: Bool { link.link?.isConnected ?? false }

  func append(_ message: LinkMessage) -> @Sendable () -> Void {
    messages.withLock { _ = $0.append(message, size: message.payload.count) }
    return wake
  }

  func take(_ most: Int) -> (messages: [LinkMessage], dropped: Int) {
    let (taken, all) = messages.withLock { ($0.take(most), $0.droppedCount) }
    let dropped = reported.withLock { reported in
      defer { reported = all }
      return all - reported
    }
    return (taken, dropped)
  }

  func confirm(within limit: Duration) async throws(LinkFailure) {
    if server.isDenied(.subscribe, subject) { throw .notAuthorized("denied: \(subject)") }
  }

  func cancel() { server.remove(self) }

  func drain(within limit: Duration) async { server.remove(self) }
}

/// A connection to a scripted server, which breaks on request.
final class ScriptedLink: Link {
  let server: ScriptedServer
  private let connected = Atomic<Bool>(true)
  private let closed = Atomic<Bool>(false)
  private let didChange = Signal<Bool>()
  private let didRefuse = Signal<LinkRefusal>()
  let inbox = "_INBOX.\(UInt64.random(in: 0 ... .max))"
  private let hooks = Locked(Hooks())

  private struct Hooks {
    var preparing: @Sendable () async throws(LinkFailure) -> Void = {
      () async throws(LinkFailure) in
    }
    var sending: @Sendable (OutgoingMessage) -> Void = { _ in }
  }

  init(_ server: ScriptedServer) { self.server = server }

  /// Has each preparation of a stream wait for a closure, and fail with its error.
  func onPreparing(_ body: @escaping @Sendable () async throws(LinkFailure) -> Void) {
    hooks.withLock { $0.preparing = body }
  }

  /// Calls a closure before each message.
  func onSending(_ body: @escaping @Sendable (OutgoingMessage) -> Void) {
    hooks.withLock { $0.sending = body }
  }

  /// Breaks the connection, and makes it again.
  func reconnect() {
    isConnected = false
    isConnected = true
  }

  var isConnected: Bool {
    get { connected.load(ordering: .acquiring) }
    set {
      connected.store(newValue, ordering: .releasing)
      didChange.send(newValue)
    }
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Closes the connection for good.
  func close() {
    closed.store(true, ordering: .releasing)
    isConnected = false
  }

  func send(_ message: OutgoingMessage) throws(LinkFailure) {
    hooks.withLock(\.sending)(message)
    guard isConnected else { throw isClosed ? .closed : .disconnected }
    // As the server does, with its headers.
    if message.payload.count + (message.error?.utf8.count ?? 0) > 1 << 20 { throw .tooLarge }
    if server.isDenied(.publish, message.subject) {
      didRefuse.send(.denied(Denial(.publish, message.subject, "denied: \(message.subject)")))
    } else {
      server.publish(message)
    }
  }

  func subscribe(
    _ subject: String,
    group: String?,
    limit: Int,
    sizeLimit: Int,
    readsFields: Bool,
    wake: @escaping @Sendable () -> Void
  ) throws(LinkFailure) -> any LinkSubscription {
    let subscription = ScriptedSubscription(self, subject, group, limit, sizeLimit, wake)
    if server.isDenied(.subscribe, subject) {
      didRefuse.send(.denied(Denial(.subscribe, subject, "denied: \(subject)")))
    } else {
      server.add(subscription)
    }
    return subscription
  }

  func onRefusal(_ body: @escaping @Sendable (LinkRefusal) -> Void) -> Token {
    didRefuse.observe(body)
  }

  /// Takes subscriptions back, as a server does whose permissions change.
  func deny(_ action: Denial.Action, _ subject: String) {
    server.deny(action, subject)
    if action == .subscribe {
      didRefuse.send(.denied(Denial(.subscribe, subject, "denied: \(subject)")))
    }
  }

  func onChange(_ body: @escaping @Sendable (Bool) -> Void) -> Token { didChange.observe(body) }

  func flush(within limit: Duration) async throws(LinkFailure) {
    guard isConnected else { throw isClosed ? .closed : .disconnected }
  }

  func prepareStream(
    _ stream: String,
    subjects: [String],
    replicas: Int,
    limits: StreamLimits,
    within limit: Duration
  ) async throws(LinkFailure) {
    if isClosed { throw .closed }
    guard isConnected else { throw .disconnected }
    try await hooks.withLock(\.preparing)()
    server.prepareStream(stream, subjects)
  }

  func prepareConsumer(
    _ request: ConsumerRequest,
    within limit: Duration
  ) async throws(LinkFailure) -> Consumer {
    guard isConnected else { throw .disconnected }
    return server.prepareConsumer(request)
  }

  func recent(
    _ stream: String,
    subject: String,
    upTo last: UInt64,
    count: Int,
    within limit: Duration
  ) async throws(LinkFailure) -> [LinkMessage] { [] }
}
