internal import Synchronization

/// The asynchronous handler call that the current task is making.
///
/// A task that the handler starts inherits the task-local, so the task's own identity is compared as well.
/// That identity is valid only while the task runs, which is until the call has ended.
package final class RunningCall: Sendable {
  @TaskLocal private static var innermost: RunningCall?
  private static let runningCount = Atomic<Int>(0)

  /// The registration of the handler.
  package let registration: ObjectIdentifier
  /// The queues of the bus that makes the call; `nil` for a call that no queue makes.
  let queues: ObjectIdentifier?
  /// The calls that wait for this one.
  private let callers: [RunningCall]
  /// The turns that have led to the events that the call causes.
  private let turns: EventChain
  private let task: Int
  /// The call of the same task around this one.
  private let outer: RunningCall?
  /// The number of handlers among this call and those that wait for it; the others are interceptors.
  package let handlerCount: Int
  private let ended = Atomic<Bool>(false)
  /// Whether the calls that wait for this outermost one, and for each other, have been reported.
  private let hasReported = Atomic<Bool>(false)

  private init(
    of registration: ObjectIdentifier,
    in queues: ObjectIdentifier?,
    callers: [RunningCall],
    outer: RunningCall? = nil,
    _ turns: EventChain = .none
  ) {
    (self.registration, self.queues, self.turns) = (registration, queues, turns)
    (self.callers, self.outer) = (callers, outer)
    handlerCount = (callers.first?.handlerCount ?? 0) + (outer == nil ? 1 : 0)
    task = currentTaskID()
  }

  /// The call itself, and the calls that wait for it.
  package var chain: [RunningCall] { [self] + callers }

  /// Returns whether this is the first call of its chain for which so many handlers wait for each other that it is to
  /// be reported.
  func isFirstTooDeep() -> Bool {
    guard handlerCount >= 1_000 else { return false }
    return !(callers.last ?? self).hasReported.exchange(true, ordering: .relaxed)
  }

  /// True if the handler has returned.
  package var hasEnded: Bool { ended.load(ordering: .acquiring) }

  /// The call that the current task itself is making.
  package static var current: RunningCall? {
    guard let innermost, !innermost.hasEnded, innermost.task == currentTaskID() else { return nil }
    return innermost
  }

  /// Returns whether the current task itself is making a call for a registration.
  static func isCalling(_ registration: AnyObject) -> Bool {
    let id = ObjectIdentifier(registration)
    var call = current
    while let next = call {
      if next.registration == id { return true }
      call = next.outer
    }
    return false
  }

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - queues: The queues of the bus that makes the call.
  ///   - callers: The calls that wait for this call.
  ///   - turns: The turns that have led to the events that the call causes.
  ///   - body: The call.
  package static func run(
    _ registration: AnyObject,
    in queues: AnyObject? = nil,
    callers: [RunningCall],
    _ turns: EventChain = .none,
    _ body: () async -> Void
  ) async {
    let (id, queues) = (ObjectIdentifier(registration), queues.map { ObjectIdentifier($0) })
    await run(RunningCall(of: id, in: queues, callers: callers, turns), body)
  }

  /// Makes a call inside another call of the same task, or outside any.
  ///
  /// - Parameters:
  ///   - registration: The registration of the inner call.
  ///   - body: The call.
  package static func run(inside registration: AnyObject, _ body: () async -> Void) async {
    let (outer, id) = (current, ObjectIdentifier(registration))
    let (callers, turns) = (outer?.chain ?? [], outer?.turns ?? .none)
    await run(RunningCall(of: id, in: nil, callers: callers, outer: outer, turns), body)
  }

  private static func run(_ call: RunningCall, _ body: () async -> Void) async {
    runningCount.add(1, ordering: .relaxed)
    await $innermost.withValue(call, operation: body)
    runningCount.subtract(1, ordering: .relaxed)
    call.ended.store(true, ordering: .releasing)
  }

  /// The turns of queues that have led to an event which the caller posts now.
  static var eventChain: EventChain {
    let chain = ThreadNotes.chain
    if chain != .none { return chain }
    // Code inside a call runs after the count of that call began and before it ends.
    return runningCount.load(ordering: .relaxed) > 0 ? current?.turns ?? .none : .none
  }
}
