// Stand-ins for what a target without an operating system lacks: locks, suspended tasks and stacks.

package struct Locked<State>: ~Copyable, @unchecked Sendable {  // Reason: never run.
  private var state: State

  package init(_ state: State) { self.state = state }
  package func withLock<R>(_ body: (inout State) -> R) -> R { fatalError() }
}

package final class Latch: Sendable {
  package init() {}
  package func open() {}
}

@inlinable
package func stackAddress() -> UInt { 0 }
