public import EventBus

/// The bus subscriptions of a loader, held weakly because their callers own them.
///
/// A plain value. Loading a weak reference may create the last strong one, so loaded tokens are
/// returned, for the caller to release after unlocking.
struct LaunchAttachments: Sendable {
  private struct Entry: Sendable {
    weak let token: Token?
  }

  private var entries: [Entry] = []
  private var limit = 8

  /// Adds a subscription.
  ///
  /// Afterwards at most max(8, 2 × living) entries exist, where the living are those of the last sweep.
  ///
  /// - Returns: The tokens that were loaded.
  /// - Complexity: Amortized O(1).
  mutating func add(_ token: Token) -> [Token] {
    entries.append(Entry(token: token))
    guard entries.count > limit else { return [] }
    let living = entries.compactMap(\.token)
    entries = living.map(Entry.init(token:))
    limit = max(8, 2 * entries.count)
    return living
  }

  /// Removes and returns all subscriptions that are alive.
  ///
  /// - Complexity: O(*n*) in the number of subscriptions.
  mutating func takeAll() -> [Token] {
    defer { entries = [] }
    return entries.compactMap(\.token)
  }
}

extension EventNames {
  /// Posted when the application is about to launch, before its launch work runs.
  public static let willFinishLaunching =
    EventName<LaunchOptions>("application.willFinishLaunching")

  /// Posted when the application has launched; loaders attached to the bus then run their launch work.
  ///
  /// The last event is kept and replayed to observers that are added later.
  public static let didFinishLaunching =
    EventName<LaunchOptions>("application.didFinishLaunching", replay: 1)
}
