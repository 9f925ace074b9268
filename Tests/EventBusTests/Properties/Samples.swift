import EventBus
import TestSupport

/// A model with observed properties, outside every actor.
final class Account {
  @Observed var balance = 0
  @Observed var names: [String] = []
  let lifetime = Lifetime()

  /// The properties themselves, for tests that act on them.
  var balanceProperty: Observed<Int> { _balance }
  var namesProperty: Observed<[String]> { _names }
}

/// An owner of handlers that belongs to one isolation, as most do.
final class Viewer {
  var shown: [String] = []
  let atDeinit: AtDeinit

  init(atDeinit: @escaping @Sendable () -> Void = {}) { self.atDeinit = AtDeinit(atDeinit) }

  func show(_ change: Change<Int>) { shown.append(change.text) }
}

/// The same, carrying its lifetime.
final class LivedViewer: LifetimeOwner {
  let lifetime = Lifetime()
  var shown: [String] = []

  func show(_ change: Change<Int>) { shown.append(change.text) }
}

/// Runs a closure at its end, in the isolation of the test.
final class Ending {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  deinit { body() }
}

/// The entries noted by a test, without a lock: all code runs in one isolation.
final class Notes<Entry> {
  var entries: [Entry] = []

  func append(_ entry: Entry) { entries.append(entry) }
}

extension Change {
  /// `old→new`, with a letter for any change that is not plain.
  var text: String {
    switch kind {
    case .initial: "i\(new)"
    case .prior: "p\(old)→\(new)"
    case .set: "\(old)→\(new)"
    }
  }
}
