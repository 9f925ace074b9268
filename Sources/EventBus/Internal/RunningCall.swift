internal import Synchronization

/// The call of an asynchronous handler that the current task is making.
///
/// A task that the handler starts inherits the task-local, so the task's own identity is compared too. That
/// names a task only while it runs, which it does until the call has ended.
package final class RunningCall: Sendable {
  @TaskLocal private static var innermost: RunningCall?

  /// The registrations whose handlers wait for this call, this one included.
  package let links: [ObjectIdentifier]
  private let task: Int
  private let hasEnded = Atomic<Bool>(false)

  private init(links: [ObjectIdentifier], task: Int) {
    self.links = links
    self.task = task
  }

  /// The call the current task itself is making.
  package static var current: RunningCall? {
    guard let innermost, !innermost.hasEnded.load(ordering: .acquiring),
      innermost.task == TaskIdentity.current
    else { return nil }
    return innermost
  }

  /// Whether the current task itself is making a call for a registration.
  package static func isCalling(_ link: ObserverLink) -> Bool {
    current?.links.first == ObjectIdentifier(link)
  }

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - link: The registration.
  ///   - callers: The registrations whose handlers wait for this call.
  ///   - body: The call.
  package static func run(
    _ link: ObserverLink,
    callers: [ObjectIdentifier],
    _ body: () async -> Void
  ) async {
    let call = RunningCall(links: [ObjectIdentifier(link)] + callers, task: TaskIdentity.current)
    await $innermost.withValue(call, operation: body)
    call.hasEnded.store(true, ordering: .releasing)
  }
}
