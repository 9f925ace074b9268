/// Which task is running.
package enum TaskIdentity: Sendable {
  /// A number of the current task that no other task has while it runs, and others may have later; 0 outside tasks.
  package static var current: Int {
    unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue ?? 0 }  // Reason: only hashed.
  }
}
