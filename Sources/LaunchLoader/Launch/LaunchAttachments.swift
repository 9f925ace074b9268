public import EventBus

/// The bus subscriptions of a loader, held weakly: they belong to those who attached it.
///
/// A plain value. Loading a weak reference may make it the last one, so that what was loaded is handed
/// out, to be let go of after unlocking.
struct LaunchAttachments: Sendable {
  private struct Entry: Sendable {
    weak let token: Token?
  }

  private var entries: [Entry] = []
  private var limit = 8

  /// Adds a subscription.
  ///
  /// After it at most max(8, 2 × living) places are taken, where the living are those of the last sweep.
  ///
  /// - Returns: What was loaded meanwhile.
  /// - Complexity: Amortized O(1).
  mutating func add(_ token: Token) -> [Token] {
    entries.append(Entry(token: token))
    guard entries.count > limit else { return [] }
    let living = entries.compactMap(\.token)
    entries = living.map(Entry.init(token:))
    limit = max(8, 2 * entries.count)
    return living
  }

  /// Takes all subscriptions that are alive out.
  ///
  /// - Complexity: O(*n*) in the number of subscriptions.
  mutating func takeAll() -> [Token] {
    defer { entries = [] }
    return entries.compactMap(\.token)
  }
}

extension EventNames {
  /// The application is about to launch: its launch work has not run.
  public static let willFinishLaunching =
    EventName<LaunchOptions>("application.willFinishLaunching")

  /// The application has launched; loaders attached to the bus run their launch work now.
  ///
  /// The last event is kept, so that an observer that comes late is told at once.
  public static let didFinishLaunching =
    EventName<LaunchOptions>("application.didFinishLaunching", replay: 1)
}
