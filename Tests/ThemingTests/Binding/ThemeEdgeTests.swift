import EventBus
import TestSupport
import Testing
import Theming

/// The ways in which an object follows a theme.
enum FollowerKind: CaseIterable {
  /// A view with `@Themed`.
  case themed
  /// A view with a `ThemeSlot`.
  case slot
  /// A view whose map brings a scope.
  case scopedMap
  /// An object without a lifetime, by `follow`.
  case follow
  /// An object with a lifetime, by `follow`.
  case followOwner

  /// The kinds whose subscription is a token.
  static let tokens: [FollowerKind] = [.follow, .followOwner]
}

@MainActor
@Suite("Edge cases of following")
struct ThemeEdgeTests {
  @MainActor
  private class View: Themeable {
    let themeSlot: ThemeSlot
    @Themed var themeMap: ThemeMap<View>?
    let touched: Log<Int>
    /// Called after each touch of the width.
    var whenTouched: ((View) -> Void)?
    var width = 0 {
      didSet {
        touched.append(width)
        whenTouched?(self)
      }
    }
    var font = ""

    init(_ manager: ThemeManager, _ touched: Log<Int>) {
      themeSlot = ThemeSlot(manager)
      self.touched = touched
      _themeMap = Themed(manager)
    }
  }

  private final class Screen: View, LifetimeOwner {
    let lifetime = Lifetime()
  }

  /// One object that follows a manager in one of the ways.
  @MainActor
  private final class Follower {
    let kind: FollowerKind
    let manager: ThemeManager
    let touched = Log<Int>()
    var view: View?
    var token: Token?

    init(_ kind: FollowerKind) throws {
      self.kind = kind
      let root = makeManager()
      manager = kind == .scopedMap ? try root.scope { _ in } : root
      view = kind == .followOwner ? Screen(root, touched) : View(root, touched)
    }

    /// Begins to follow.
    func begin() {
      guard let view else { return }
      let map: ThemeMap<View> = [.set(\.width, .radius), .set(\.font, .font)]
      switch kind {
      case .themed: view.themeMap = map
      case .slot: view.themeMap = map
      case .scopedMap: view.themeMap = map.scoped(manager)
      case .follow, .followOwner: token = manager.follow(view, map)
      }
    }

    /// Ends it.
    func end() {
      view?.themeMap = nil
      view?.themeMap = nil
      token?.cancel()
    }

    /// Switches to a theme with this radius.
    func use(_ radius: Int) throws {
      try manager.use(rounded(radius).deriving("\(radius)") { $0[.font] = "font \(radius)" })
    }
  }

  @Test("An ended follower is neither counted nor called", arguments: FollowerKind.allCases)
  func ended(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    follower.begin()
    #expect(follower.manager.subscriberCount == 1)
    follower.end()
    follower.end()
    #expect(follower.manager.subscriberCount == 0)
    try follower.use(9)
    #expect(follower.touched.entries == [4])
  }

  @Test("A dead follower is neither counted nor called", arguments: FollowerKind.allCases)
  func dead(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    follower.begin()
    follower.view = nil
    #expect(follower.manager.subscriberCount == 0)
    #expect(follower.token?.isActive != true)
    try follower.use(9)
    #expect(follower.touched.entries == [4])
  }

  @Test(
    "A follower that ends in its own call receives nothing more",
    arguments: FollowerKind.allCases
  )
  func endedInItsOwnCall(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    follower.begin()
    follower.view?.whenTouched = { _ in follower.end() }
    try follower.use(9)
    #expect(follower.view?.font == "Sans")
    #expect(follower.manager.subscriberCount == 0)
    try follower.use(10)
    #expect(follower.touched.entries == [4, 9])
    follower.view?.whenTouched = nil
  }

  @Test("A view that dies in its own call ends its registration", arguments: FollowerKind.allCases)
  func deadInItsOwnCall(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    follower.begin()
    follower.view?.whenTouched = { _ in follower.view = nil }
    try follower.use(9)
    #expect(follower.view == nil)
    #expect(follower.manager.subscriberCount == 0)
    try follower.use(10)
    #expect(follower.touched.entries == [4, 9])
  }

  @Test(
    "A follower that follows again in its own call is registered once, with the theme in use",
    arguments: FollowerKind.allCases
  )
  func beginsInItsOwnCall(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    follower.begin()
    follower.view?.whenTouched = { view in
      view.whenTouched = nil
      follower.token?.cancel()
      follower.begin()
    }
    try follower.use(9)
    #expect(follower.touched.entries == [4, 9, 9])
    #expect(follower.view?.font == "font 9")
    #expect(follower.manager.subscriberCount == 1)
    try follower.use(10)
    #expect(follower.touched.entries == [4, 9, 9, 10])
  }

  @Test(
    "A follower that switches in its own call is called again after the switch",
    arguments: FollowerKind.allCases
  )
  func switchesInItsOwnCall(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    follower.begin()
    follower.view?.whenTouched = { view in
      view.whenTouched = nil
      #expect(throws: Never.self) { try follower.use(10) }
    }
    try follower.use(9)
    #expect(follower.touched.entries == [4, 9, 10])
    #expect(follower.view?.font == "font 10")
  }

  @Test(
    "A follower released or cancelled on another thread is removed at once",
    arguments: FollowerKind.allCases
  )
  func endedElsewhere(_ kind: FollowerKind) async throws {
    let follower = try Follower(kind)
    follower.begin()
    if let token = follower.token {
      await onThreads(1) { _ in token.cancel() }
    } else {
      let view = Locked(follower.view.take())
      await onThreads(1) { _ in
        let view = view.withLock { $0.take() }
        withExtendedLifetime(view) {}
      }
    }
    #expect(follower.manager.subscriberCount == 0)
    try follower.use(9)
    #expect(follower.touched.entries == [4])
  }

  // Tokens.

  @Test("A paused follower is not called until every pause ends", arguments: FollowerKind.tokens)
  func paused(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    follower.begin()
    let token = try #require(follower.token)
    var pauses = [token.pause(), token.pause()]
    try follower.use(9)
    pauses.removeLast()
    try follower.use(10)
    #expect(token.isActive && follower.manager.subscriberCount == 1)
    pauses[0].cancel()
    #expect(follower.touched.entries == [4])
    try follower.use(11)
    #expect(follower.touched.entries == [4, 11])
    #expect(follower.view?.font == "font 11")
  }

  @Test(
    "A follower that pauses in its own call receives nothing more of that switch",
    arguments: FollowerKind.tokens
  )
  func pausedInItsOwnCall(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    follower.begin()
    var pause: Token?
    follower.view?.whenTouched = { _ in pause = follower.token?.pause() }
    try follower.use(9)
    #expect(follower.touched.entries == [4, 9] && follower.view?.font == "Sans")
    follower.view?.whenTouched = nil
    pause = nil
    try follower.use(10)
    #expect(follower.touched.entries == [4, 9, 10] && follower.view?.font == "font 10")
    withExtendedLifetime(pause) {}
  }

  @Test(
    "A pause of a cancelled follower, or one that outlives it, has no effect",
    arguments: FollowerKind.tokens
  )
  func pauseOfTheEnded(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    follower.begin()
    let early = follower.token?.pause()
    follower.token?.cancel()
    let late = follower.token?.pause()
    early?.cancel()
    late?.cancel()
    try follower.use(9)
    #expect(follower.touched.entries == [4])
    #expect(follower.manager.subscriberCount == 0)
  }

  @Test("Ending or dropping a bag ends its followers", arguments: FollowerKind.tokens)
  func bag(_ kind: FollowerKind) throws {
    let followers = try (0..<3).map { _ in try Follower(kind) }
    var bags = followers.map { _ in TokenBag() }
    for (follower, bag) in zip(followers, bags) {
      follower.begin()
      follower.token?.store(in: bag)
    }
    bags[0].end()
    bags[1].cancelAll()
    bags = []
    for follower in followers {
      #expect(follower.token?.isActive == false)
      #expect(follower.manager.subscriberCount == 0)
      try follower.use(9)
      #expect(follower.touched.entries == [4])
    }
  }

  @Test("A follower in a bag leaves it when its object dies", arguments: FollowerKind.tokens)
  func deadInABag(_ kind: FollowerKind) throws {
    let follower = try Follower(kind)
    let bag = TokenBag()
    follower.begin()
    follower.token?.store(in: bag)
    follower.token = nil
    #expect(bag.count == 1)
    follower.view = nil
    #expect(follower.manager.subscriberCount == 0)
    #expect(bag.count == 0)
  }

  @Test("An object whose lifetime has ended does not begin to follow")
  func endedLifetime() throws {
    let follower = try Follower(.followOwner)
    (follower.view as? Screen)?.lifetime.end()
    follower.begin()
    #expect(follower.token?.isActive == false)
    #expect(follower.touched.entries.isEmpty)
    #expect(follower.manager.subscriberCount == 0)
  }

  @Test("A lifetime that ends in a call of its object ends the follower")
  func lifetimeEndsInItsOwnCall() throws {
    let follower = try Follower(.followOwner)
    follower.begin()
    follower.view?.whenTouched = { ($0 as? Screen)?.lifetime.end() }
    try follower.use(9)
    #expect(follower.view?.font == "Sans")
    try follower.use(10)
    #expect(follower.touched.entries == [4, 9])
    #expect(follower.manager.subscriberCount == 0)
  }

  @Test("When its manager dies, a token is inactive, and its bag and waiting tasks are released")
  func managerGone() async throws {
    var manager: ThemeManager? = makeManager()
    weak let gone = manager
    let (view, bag) = (View(makeManager(), Log()), TokenBag())
    let token = try #require(manager?.follow(view, [.set(\.width, .radius)]))
    token.store(in: bag)
    let waiter = Task { await token.waitUntilFinished() }
    await rest()
    manager = nil
    #expect(gone == nil)
    #expect(!token.isActive)
    #expect(bag.count == 0)
    await waiter.value
  }

  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  @Test("waitUntilFinished() inside the call, on the main actor, returns once the call has ended")
  func waitsInside() async throws {
    let follower = try Follower(.follow)
    follower.begin()
    let token = try #require(follower.token)
    let log = Log<String>()
    var waiter: Task<Void, Never>?
    follower.view?.whenTouched = { _ in
      blockedOnThread { token.cancel() }
      // Runs here until it waits, which it must.
      waiter = Task.immediate {
        await token.waitUntilFinished()
        log.append("waited")
      }
      log.append("called")
    }
    try follower.use(9)
    log.append("used")
    await waiter?.value
    #expect(log.entries == ["called", "used", "waited"])
  }

  @Test("A cancelled task stops waiting even if the main actor is still busy with the call")
  func cancelledWait() throws {
    let follower = try Follower(.follow)
    follower.begin()
    let token = try #require(follower.token)
    let hasReturned = ManualLatch()
    follower.view?.whenTouched = { _ in
      token.cancel()
      let waiter = Task.detached {
        await token.waitUntilFinished()
        hasReturned.open()
      }
      waiter.cancel()
      hasReturned.block()
    }
    try follower.use(9)
    #expect(hasReturned.isOpen)
  }
}
