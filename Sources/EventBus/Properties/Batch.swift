internal import Synchronization

/// Reports the changes made inside a closure at its end, each property at most once.
public func batch<R>(_ body: () throws -> R) rethrows -> R { try body() }

internal protocol BatchMember: AnyObject {
  func batchEnded()
}

@usableFromInline
internal final class Batch {
  @usableFromInline internal static var isOpenAnywhere: Bool { false }
  internal static var current: Batch? { nil }
  internal func add(_ member: any BatchMember) {}
}

@available(*, unavailable)
extension Batch: Sendable {}
