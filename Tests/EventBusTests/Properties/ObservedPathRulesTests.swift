import EventBus
import TestSupport
import Testing

@Suite("Paths obey the rules of plain observers", .timeLimit(.minutes(5)))
struct ObservedPathRulesTests {
  private final class Player {
    @Observed var account = Account()
    @Observed var guest: Account?
    @Observed var level = 0

    var accountProperty: Observed<Account> { _account }
  }

  private static func account(_ balance: Int) -> Account {
    let account = Account()
    account.balance = balance
    return account
  }

  @Test("A path paused while its object is replaced resumes on the current object")
  func pausedOverAReplacement() {
    let (player, viewer) = (Player(), Viewer())
    let first = player.account
    let token = player.$account.observe(\.$balance, owner: viewer) { $0.show($1) }
    let second = Self.account(5)
    let pause = token.pause()
    player.account = second
    second.balance = 6
    pause.cancel()
    first.balance = 1
    #expect(viewer.shown == [])
    second.balance = 7
    #expect(viewer.shown == ["6→7"])
  }

  @Test("A path paused over a replacement in a batch resumes on the current object")
  func pausedOverABatch() {
    let (player, viewer) = (Player(), Viewer())
    let token = player.$guest.observe(\.$balance, owner: viewer) { viewer, change in
      viewer.shown.append("\(change.old ?? -1)→\(change.new ?? -1)")
    }
    let pause = token.pause()
    batch {
      player.guest = Self.account(1)
      player.guest = Self.account(2)
    }
    pause.cancel()
    player.guest?.balance = 3
    player.guest = nil
    #expect(viewer.shown == ["2→3", "3→-1"])
  }

  @Test("A handler that replaces the object is called again after it returns, not re-entered")
  func handlerReplaces() {
    let (player, viewer) = (Player(), Viewer())
    var depth = 0
    player.$account.observe(\.$balance, owner: viewer) { [unowned player] viewer, change in
      depth += 1
      viewer.show(change)
      #expect(depth == 1)
      if change.new == 1 { player.account = Self.account(8) }
      if change.new == 8 { player.account.balance = 9 }
      depth -= 1
    }
    player.account.balance = 1
    #expect(viewer.shown == ["0→1", "1→8", "8→9"])
  }

  @Test("A replacement made by a path's initial call is reported as a change")
  func initialReplaces() {
    let (player, viewer) = (Player(), Viewer())
    var depth = 0
    player.$account.observe(
      \.$balance,
      owner: viewer,
      initial: true
    ) { [unowned player] viewer, change in
      depth += 1
      viewer.show(change)
      #expect(depth == 1)
      if change.kind == .initial { player.account = Self.account(3) }
      if change.new == 3 { player.account.balance = 4 }
      depth -= 1
    }
    #expect(viewer.shown == ["i0", "0→3", "3→4"])
  }

  @Test("A batch over the inner property and the object reports to a path once")
  func batchOverBoth() {
    for leafFirst in [true, false] {
      let (player, viewer) = (Player(), Viewer())
      let (first, second) = (player.account, Self.account(7))
      player.$account.observe(\.$balance, owner: viewer) { $0.show($1) }
      batch {
        if leafFirst { first.balance = 5 }
        player.account = second
        if !leafFirst { first.balance = 5 }
        second.balance = 8
      }
      #expect(viewer.shown == ["0→8"])
      second.balance = 9
      first.balance = 1
      #expect(viewer.shown == ["0→8", "8→9"])
    }
  }

  @Test("An inner value equal to the last one delivered is not reported")
  func equalAfterSilence() {
    let (player, viewer) = (Player(), Viewer())
    player.$account.observe(\.$balance, owner: viewer) { $0.show($1) }
    player.account.balanceProperty.withoutNotifying { $0 = 3 }
    player.account.balance = 0
    #expect(viewer.shown == [])
    player.account.balance = 2
    #expect(viewer.shown == ["0→2"])
  }

  @Test("A manual report reaches a path as it reaches a plain observer")
  func byHand() {
    let (player, viewer, plain) = (Player(), Viewer(), Viewer())
    player.$account.observe(\.$balance, owner: viewer) { $0.show($1) }
    player.account.$balance.observe(owner: plain) { $0.show($1) }
    player.account.balanceProperty.withoutNotifying { $0 = 3 }
    player.account.balanceProperty.notifyChange(from: 0)
    player.account.balanceProperty.notifyChange(from: 3)
    #expect(plain.shown == ["0→3", "3→3"])
    #expect(viewer.shown == plain.shown)
  }

  @Test("The inner property may be set during a silent mutation of the outer one")
  func setInsideASilentWrite() {
    let (player, viewer) = (Player(), Viewer())
    player.$account.observe(\.$balance, owner: viewer) { $0.show($1) }
    player.accountProperty.withoutNotifying { $0.balance = 2 }
    #expect(viewer.shown == ["0→2"])
  }

  @Test("Prior and change calls stay chained when a prior handler replaces the object")
  func priorReplaces() {
    let (player, viewer) = (Player(), Viewer())
    player.$account.observe(
      \.$balance,
      owner: viewer,
      prior: true
    ) { [unowned player] viewer, change in
      viewer.show(change)
      if change.kind == .set, change.new == 1 { player.account = Self.account(4) }
    }
    player.account.balance = 1
    #expect(viewer.shown == ["p0→1", "0→1", "p1→4", "1→4"])
  }

  @Test("A path cancelled by its own handler is not called for values that handler set")
  func cancelsItself() {
    let (player, viewer) = (Player(), Viewer())
    let tokens = Notes<Token>()
    tokens.append(
      player.$account.observe(\.$balance, owner: viewer) { [unowned player] viewer, change in
        viewer.show(change)
        player.account = Self.account(9)
        tokens.entries[0].cancel()
      }
    )
    player.account.balance = 1
    player.account.balance = 2
    #expect(viewer.shown == ["0→1"])
  }

  @Test("A path's chain stays unbroken in random writes, batches, pauses and handler writes")
  func randomSteps() {
    var numbers = SampleNumbers(seed: 1)
    func random(_ limit: Int) -> Int { numbers.next(below: limit) }
    let (player, viewer) = (Player(), Viewer())
    let objects = (0..<3).map { Self.account($0) }
    player.account = objects[0]
    func write() {
      switch random(3) {
      case 0: player.account = objects[random(3)]
      case 1: objects[random(3)].balance = random(4)
      default: player.account.balance = random(4)
      }
    }
    var (changes, depth, wasNested) = ([Change<Int>](), 0, false)
    let token = player.$account.observe(\.$balance, owner: viewer) { _, change in
      wasNested = wasNested || depth > 0
      depth += 1
      changes.append(change)
      if random(4) == 0 { write() }
      depth -= 1
    }
    var pause: Token?
    var failures = 0
    for _ in 0..<size(3_000, full: 20_000) {
      let (before, isPaused) = (player.account.balance, pause != nil)
      changes = []
      switch random(8) {
      case 0: pause = pause == nil ? token.pause() : nil
      case 1: batch { for _ in 0..<random(5) { write() } }
      default: write()
      }
      let now = player.account.balance
      let isChained = zip(changes, changes.dropFirst()).allSatisfy { $0.new == $1.old }
      let isExact =
        changes.isEmpty ? before == now : changes.first?.old == before && changes.last?.new == now
      let isRight = isPaused || pause != nil ? changes.isEmpty : isChained && isExact
      let hasEqual = changes.contains { $0.old == $0.new }
      if !isRight || hasEqual { failures += 1 }
    }
    #expect(failures == 0)
    #expect(!wasNested)
  }

  @Test("waitUntilFinished() on a path waits for a call caused by the inner property")
  func waitUntilFinished() async {
    let (call, token) = (HeldCall(), Holder<Token>())
    async let calling: Void = onThreads(1) { _ in
      let (player, viewer) = (Player(), Viewer())
      token.hold(player.$account.observe(\.$balance, owner: viewer) { _, _ in call.run() })
      player.account.balance = 1
    }
    await call.isEntered()
    await call.expectFence(token.value)
    await calling
  }

  /// Adds a handler that has ended but is still held, with an object that runs a closure at its end.
  ///
  /// The handler is released at the next use of the property.
  private static func endHandler(of account: Account, _ body: @escaping () -> Void) {
    let token = account.$balance.observe { [ending = Ending(body)] _ in
      withExtendedLifetime(ending) {}
    }
    token.cancel()
  }

  @Test("A path reports a value that its own registration caused to be set")
  func setWhileFollowing() {
    let (player, viewer) = (Player(), Viewer())
    player.$account.observe(\.$balance, owner: viewer) { $0.show($1) }
    let second = Self.account(5)
    Self.endHandler(of: second) { second.balance = 99 }
    player.account = second
    #expect(viewer.shown == ["0→99"])
    second.balance = 100
    #expect(viewer.shown == ["0→99", "99→100"])
  }

  @Test("A path is not called any more once its own registration has cancelled it")
  func cancelledWhileFollowing() {
    let (player, viewer) = (Player(), Viewer())
    let token = player.$account.observe(\.$balance, owner: viewer) { $0.show($1) }
    let second = Self.account(5)
    Self.endHandler(of: second) { token.cancel() }
    player.account = second
    second.balance = 6
    #expect(viewer.shown == [])
  }

  @Test(
    "A path follows an object that its own registration caused to be set",
    arguments: [false, true]
  )
  func replacedWhileFollowing(isRegistering: Bool) {
    let (player, viewer) = (Player(), Viewer())
    let (second, third) = (Self.account(2), Self.account(3))
    Self.endHandler(of: second) { player.account = third }
    if isRegistering { player.account = second }
    player.$account.observe(\.$balance, owner: viewer, initial: true) { $0.show($1) }
    if !isRegistering { player.account = second }
    #expect(viewer.shown == (isRegistering ? ["i2", "2→3"] : ["i0", "0→2", "2→3"]))
    viewer.shown = []
    second.balance = 20
    #expect(viewer.shown == [])
    third.balance = 30
    #expect(viewer.shown == ["3→30"])
  }

  @Test(
    "A path whose object is replaced while it registers reports the change from the first object"
  )
  func replacedDuringTheRegistration() {
    let (player, viewer) = (Player(), Viewer())
    let (first, second) = (Self.account(10), Self.account(20))
    (player.account, player.guest) = (first, first)
    // The registration with the first object removes the cancelled one, and releases what its handler captured.
    do {
      let replacing = Replacing { (player.account, player.guest) = (second, second) }
      first.$balance.observe { _ in withExtendedLifetime(replacing) {} }.cancel()
    }
    player.$account.observe(\.$balance, owner: viewer) { $0.show($1) }
    #expect(player.account === second)
    #expect(viewer.shown == ["10→20"])
    second.balance = 30
    #expect(viewer.shown == ["10→20", "20→30"])
  }

  private final class Replacing {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    deinit { body() }
  }
}
