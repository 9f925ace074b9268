internal import Foundation

/// Starts a thread, like the function that the targets of the repository's own package share.
///
/// - Returns: Zero, for success.
func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
  Thread.detachNewThread(body)
  return 0
}
