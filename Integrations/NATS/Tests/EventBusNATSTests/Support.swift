import EventBus
import EventBusNATS
import Foundation
import NATSServer
import _EventBusLocks
import Testing

extension EventNames {
  static let number = EventName<Int>("test.number")
  static let other = EventName<Int>("test.other")
  static let text = EventName<String>("test.text")
  static let plain = EventName<Void>("test.plain")
  static let kept = EventName<Int>("test.kept", replay: 3)
}

/// Waits until a condition holds of which there is no notification, or until the test has run out of time.
func eventually(
  _ what: String,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async -> Bool
) async {
  while await !condition() {
    do {
      try await Task.sleep(for: .milliseconds(2))  // Reason: asks again.
    } catch {
      Issue.record("the test ended before: \(what)", sourceLocation: sourceLocation)
      return
    }
  }
}

/// Holds handlers back until the test opens it.
final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0
  }

  private let state = Locked(State())

  /// Resumes all that wait, now and later.
  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until the latch is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  func wait() async throws {
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard !state.isOpen, !Task.isCancelled else { return false }
          state.waiters[waiter] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { $0.waiters.removeValue(forKey: waiter) }
      continuation?.resume()
    }
    try Task.checkCancellation()
  }
}

/// Collects values from any thread.
final class Collected<Value: Sendable>: Sendable {
  private let state = Locked<[Value]>([])
  var values: [Value] { state.withLock { $0 } }
  var count: Int { state.withLock { $0.count } }
  func append(_ value: Value) { state.withLock { $0.append(value) } }
}

/// Reproducible random numbers.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
  mutating func happens(_ percent: Int) -> Bool { Int(next() % 100) < percent }
}

/// The size of a test: full with `FULL_SIZE=1`, as in the nightly checks.
func size(_ usual: Int, full: Int) -> Int {
  ProcessInfo.processInfo.environment["FULL_SIZE"] == nil ? usual : full
}

struct SampleError: Error {}

extension EventBridge.Configuration {
  /// Short times, for tests.
  static func quick(_ change: (inout Self) -> Void = { _ in }) -> Self {
    var configuration = Self()
    configuration.heartbeat = .milliseconds(100)
    configuration.answerTimeout = .milliseconds(400)
    configuration.handlingTimeout = .milliseconds(1000)
    configuration.retry.firstPause = .milliseconds(20)
    configuration.retry.longestPause = .milliseconds(200)
    change(&configuration)
    return configuration
  }
}

extension NATSConnection.Configuration {
  /// Short times, for tests.
  static func quick(_ change: (inout Self) -> Void = { _ in }) -> Self {
    var options = Self()
    options.reconnectPause = .milliseconds(20)
    options.pingInterval = .milliseconds(200)
    options.writeDeadline = .milliseconds(500)
    change(&options)
    return options
  }
}

/// A bus with a bridge, as a process has it.
struct Party: Sendable {
  let bus = EventBus()
  let bridge: EventBridge
  let reports = Collected<BridgeReport>()

  /// Connects to a server.
  init(
    _ node: String,
    _ urls: [String],
    _ change: (inout EventBridge.Configuration) -> Void = { _ in }
  ) async throws {
    let nats = try await NATSConnection(urls: urls, configuration: .quick())
    self.init(node, over: nats, change)
  }

  init(
    _ node: String,
    _ server: NATSServer,
    _ change: (inout EventBridge.Configuration) -> Void = { _ in }
  )
    async throws
  {
    try await self.init(node, [server.url], change)
  }

  init(
    _ node: String,
    over nats: NATSConnection,
    _ change: (inout EventBridge.Configuration) -> Void = { _ in }
  ) {
    let reports = reports
    var configuration = EventBridge.Configuration.quick(change)
    configuration.onReport = { reports.append($0) }
    bridge = EventBridge(bus, over: nats, node: node, configuration: configuration)
  }

  init(
    _ node: String,
    link: any Link,
    _ change: (inout EventBridge.Configuration) -> Void = { _ in }
  ) {
    let reports = reports
    var configuration = EventBridge.Configuration.quick(change)
    configuration.onReport = { reports.append($0) }
    bridge = EventBridge(bus, link: link, node: node, configuration)
  }

  /// Waits until the server has the subscriptions of the bridge: live events that are posted earlier are lost.
  func reached() async { await bridge.waitUntilFlushed() }

  /// Collects the payloads of an event.
  func collect<Payload>(_ name: EventName<Payload>) -> (Collected<Payload>, Token) {
    let collected = Collected<Payload>()
    return (collected, bus.observe(name) { collected.append($0) })
  }
}

extension LinkSubscription {
  /// Waits for messages, which come some time after the events that cause them.
  func next(_ count: Int = 1) async -> [LinkMessage] {
    var messages: [LinkMessage] = []
    await eventually("\(count) messages arrive") {
      messages += take(count - messages.count).messages
      return messages.count == count
    }
    return messages
  }
}

/// Waits until two live parties receive an event from each other.
func meet(_ name: EventName<Int>, from sender: Party, to receiver: Party) async {
  let seen = Collected<Int>()
  let token = receiver.bus.observe(name, where: { $0 < 0 }) { seen.append($0) }
  await eventually("the parties hear each other") {
    sender.bus.post(name, -1)
    await sender.bridge.waitUntilFlushed()
    return seen.count > 0
  }
  token.cancel()
}
