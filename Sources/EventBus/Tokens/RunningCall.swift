internal import Synchronization

/// The asynchronous handler call that the current task is making.
///
/// A task that the handler starts inherits the task-local, so the task's own identity is compared as well.
/// That identity is valid only while the task runs, which is until the call has ended.
package final class RunningCall: Sendable {
  @TaskLocal private static var innermost: RunningCall?

  /// The registration of the handler.
  package let registration: ObjectIdentifier
  /// The queues of the bus that makes the call; `nil` for a call that no queue makes.
  let queues: ObjectIdentifier?
  /// The calls that wait for this one.
  private let callers: [RunningCall]
  private let task: Int
  /// The call of the same task around this one.
  private let outer: RunningCall?
  private let ended = Atomic<Bool>(false)

  private init(
    of registration: ObjectIdentifier,
    in queues: ObjectIdentifier?,
    callers: [RunningCall],
    outer: RunningCall? = nil
  ) {
    (self.registration, self.queues) = (registration, queues)
    (self.callers, self.outer) = (callers, outer)
    task = currentTaskID()
  }

  /// The call itself, and the calls that wait for it.
  package var chain: [RunningCall] { [self] + callers }

  /// A Boolean value that indicates whether the handler has returned.
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
  ///   - body: The call.
  package static func run(
    _ registration: AnyObject,
    in queues: AnyObject? = nil,
    callers: [RunningCall],
    _ body: () async -> Void
  ) async {
    let queues = queues.map { ObjectIdentifier($0) }
    await run(RunningCall(of: ObjectIdentifier(registration), in: queues, callers: callers), body)
  }

  /// Makes a call inside another call of the same task, or outside any.
  ///
  /// - Parameters:
  ///   - registration: The registration of the inner call.
  ///   - body: The call.
  package static func run(inside registration: AnyObject, _ body: () async -> Void) async {
    let (outer, id) = (current, ObjectIdentifier(registration))
    await run(RunningCall(of: id, in: nil, callers: outer?.chain ?? [], outer: outer), body)
  }

  private static func run(_ call: RunningCall, _ body: () async -> Void) async {
    await $innermost.withValue(call, operation: body)
    call.ended.store(true, ordering: .releasing)
  }
}
