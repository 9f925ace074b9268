import EventBus
import TestSupport

/// An owner of which nothing is known but that it is an object.
final class PlainOwner: Sendable {
  let log = Log<Int>()
}

/// An owner that carries its lifetime.
final class LivedOwner: LifetimeOwner, Sendable {
  let lifetime = Lifetime()
  let log = Log<Int>()
}

/// An owner that lives on the main actor: this is the whole adoption.
@MainActor
final class Screen: LifetimeOwner {
  let lifetime = Lifetime()
  var shown: [Int] = []
}

/// A main-actor owner without a lifetime.
@MainActor
final class Panel {
  var shown: [Int] = []
  nonisolated let atDeinit: AtDeinit

  init(atDeinit: @escaping @Sendable () -> Void = {}) { self.atDeinit = AtDeinit(atDeinit) }
}
