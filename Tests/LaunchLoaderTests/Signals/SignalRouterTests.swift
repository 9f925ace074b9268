import LaunchLoader
import Testing

@Suite("Signal listener rules")
struct SignalRouterTests {
  private typealias Router = SignalRouter<String, String>

  @Test("Signals of one number merge until taken, and different ones keep their order")
  func coalesces() {
    var router = Router()
    let key = router.open([1, 2, 15]).key
    for number: Int32 in [15, 1, 15, 2, 1] {
      #expect(router.arrive(number).waiters.isEmpty)
    }
    #expect(router.taking(key, "") == .signal(15))
    #expect(router.taking(key, "") == .signal(1))
    #expect(router.taking(key, "") == .signal(2))
    #expect(router.taking(key, "") == .nothing)
  }

  /// The inputs of two listeners, A and B, of one signal.
  enum Event: Sendable { case arrive, inject, takeA, takeB, closeA, closeB, openA, openB }

  @Test(
    "A signal is sent again when its last possible listener leaves without having taken it",
    arguments: [
      ([.openA, .arrive, .closeA], 1),
      ([.openA, .arrive, .takeA, .closeA], 0),
      ([.openA, .inject, .closeA], 0),
      ([.openA, .inject, .arrive, .closeA], 1),
      ([.openA, .arrive, .inject, .closeA], 1),
      ([.openA, .arrive, .takeA, .arrive, .closeA], 1),
      ([.openA, .openB, .arrive, .takeA, .closeA, .closeB], 0),
      ([.openA, .openB, .arrive, .takeB, .closeA, .closeB], 0),
      ([.openA, .openB, .arrive, .closeA, .takeB, .closeB], 0),
      ([.openA, .openB, .arrive, .closeA, .closeB], 1),
      ([.openA, .openB, .arrive, .takeA, .arrive, .closeA, .closeB], 1),
      ([.openA, .openB, .arrive, .takeA, .arrive, .takeA, .closeA, .closeB], 0),
      ([.openA, .arrive, .openB, .closeA, .closeB], 1),
      ([.openA, .arrive, .openB, .takeA, .closeB, .closeA], 0),
      ([.takeA, .openA, .takeA, .arrive, .closeA], 0),
    ] as [([Event], Int)]
  )
  func resends(_ events: [Event], _ count: Int) {
    var router = Router()
    var keys: [Bool: Router.Key] = [:]
    var resent = 0
    func close(_ isA: Bool) { resent += keys[isA].map { router.close($0).resent.count } ?? 0 }
    func take(_ isA: Bool) { if let key = keys[isA] { _ = router.taking(key, "") } }
    for event in events {
      switch event {
      case .arrive: #expect(!router.arrive(15).isUnheard)
      case .inject: _ = router.arrive(15, isInjected: true)
      case .takeA: take(true)
      case .takeB: take(false)
      case .closeA: close(true)
      case .closeB: close(false)
      case .openA: keys[true] = router.open([15]).key
      case .openB: keys[false] = router.open([15]).key
      }
    }
    #expect(resent == count)
  }

  @Test("A direct listener receives each signal at once, and none is sent again")
  func direct() {
    var router = Router()
    let direct = router.open([1, 15], "direct")
    let stream = router.open([15])
    #expect(direct.installed == [1, 15])
    #expect(router.arrive(15).receivers == ["direct"])
    #expect(router.arrive(1).receivers == ["direct"])
    // The direct one took it.
    #expect(router.close(stream.key).resent.isEmpty)
    let closing = router.close(direct.key)
    #expect(closing.restored == [1, 15] && closing.resent.isEmpty)
    #expect(closing.receivers == ["direct"])
    // It was in transit when the listener was removed.
    #expect(!router.arrive(15).isUnheard)
    // Other code has installed the handler again.
    #expect(router.arrive(15, isInjected: false, isInstalled: true).isUnheard)
    #expect(!router.arrive(15, isInjected: true, isInstalled: true).isUnheard)
    let next = router.open([15]).key
    _ = router.close(next)
    #expect(router.arrive(15).isUnheard)
  }

  @Test("When all listeners leave at once every waiter resumes, and no signal is sent again")
  func closesAll() {
    var router = Router()
    let first = router.open([15]).key
    _ = router.open([1], "direct")
    #expect(router.taking(first, "first") == .nothing)
    let closing = router.closeAll()
    #expect(closing.waiters == ["first"])
    #expect(Set(closing.restored) == [1, 15] && closing.resent.isEmpty)
    #expect(!router.isHeard(15) && !router.isHeard(1))
  }
}

extension SignalRouter where Waiter == String {
  fileprivate enum Taking: Equatable { case signal(Int32), nothing, ended }

  fileprivate mutating func arrive(_ number: Int32, isInjected: Bool = false) -> Actions {
    arrive(number, isInjected: isInjected, isInstalled: false)
  }

  /// Takes a signal, and checks that no other waiter is resumed.
  fileprivate mutating func taking(_ key: Key, _ waiter: String) -> Taking {
    let actions = take(key, waiter: waiter)
    #expect(actions.receivers.isEmpty && actions.restored.isEmpty && actions.resent.isEmpty)
    guard let resumed = actions.resumed.first else { return .nothing }
    #expect(actions.resumed.count == 1 && resumed.waiter == waiter)
    return resumed.number.map { .signal($0) } ?? .ended
  }
}

extension SignalRouter.Actions where Waiter == String {
  fileprivate var waiters: [String] { resumed.map(\.waiter) }

  /// A Boolean value that indicates whether an arrived signal goes to the previous disposition.
  fileprivate var isUnheard: Bool {
    #expect(restored == resent)
    return !resent.isEmpty
  }
}
