private import Foundation

/// Waits until a condition holds of which there is no notification, or until the test has run out of time.
///
/// - Parameter condition: The condition, evaluated repeatedly.
/// - Throws: The error of the condition.
public func until(_ condition: @autoclosure () async throws -> Bool) async rethrows {
  while try await !condition() {
    do { try await Task.sleep(for: .milliseconds(2)) } catch { return }  // Reason: asks again.
  }
}

/// Waits until the task is cancelled.
///
/// - Throws: `CancellationError`.
public func untilCancelled() async throws {
  let (nothing, source) = AsyncStream<Never>.makeStream()
  for await _ in nothing {}
  withExtendedLifetime(source) {}
  try Task.checkCancellation()
}

/// Calls a closure on several threads, which begin together, and waits until it has returned on all of them.
///
/// - Parameters:
///   - count: The number of threads.
///   - body: The closure, called with the number of its thread.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
  let (ended, start) = (Inbox<Void>(), DispatchGroup())
  for _ in 0..<count { start.enter() }
  for number in 0..<count {
    Thread.detachNewThread {
      start.leave()
      start.wait()
      body(number)
      ended.append(())
    }
  }
  await ended.first(count)
}
