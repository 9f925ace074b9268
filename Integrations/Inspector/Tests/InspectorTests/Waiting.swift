import Foundation

/// Waits until a condition holds of which there is no notification, or until the test has run out of time.
func until(_ condition: @autoclosure () async throws -> Bool) async rethrows {
  while try await !condition() {
    do { try await Task.sleep(for: .milliseconds(2)) } catch { return }  // Reason: asks again.
  }
}

/// Calls a closure on several threads, which begin together, and waits until it has returned on all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
  let (ended, start) = (AsyncStream<Void>.makeStream(), DispatchGroup())
  for _ in 0..<count { start.enter() }
  for number in 0..<count {
    Thread.detachNewThread { [source = ended.continuation] in
      start.leave()
      start.wait()
      body(number)
      source.yield()
    }
  }
  var remaining = count
  for await _ in ended.stream {
    remaining -= 1
    if remaining == 0 { return }
  }
}
