/// A worker that has exceeded its time limit.
package struct LateWorker: Sendable {
  /// Its row.
  package let row: Int
  /// Its registration.
  package let registration: LaunchItem
  /// The time at which it began.
  package let start: Duration
  /// Its task, once it is known.
  package let task: Task<Void, Never>?
}
