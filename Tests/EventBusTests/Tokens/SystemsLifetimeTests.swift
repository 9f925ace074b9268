import EventBus
import TestSupport
import Testing

/// Systems that run code when an object dies, rebuilt with a lifetime, each under its name.
@Suite("Established systems: lifetimes")
struct SystemsLifetimeTests {
  @Test(
    "CYLDeallocBlockExecutor: run a block when an object dies, several an object, cancel one or all"
  )
  func blocks() {
    let log = Log<String>()
    var owner: LivedOwner? = LivedOwner()
    let bag = TokenBag()
    let tokens = ["first", "second", "third"].compactMap { name in
      owner?.lifetime.onEnd { log.append(name) }
    }
    tokens[1].cancel()
    for name in ["fourth", "fifth"] {
      owner?.lifetime.onEnd { log.append(name) }.store(in: bag)
    }
    bag.cancelAll()
    #expect(log.entries.isEmpty)
    owner = nil
    #expect(log.entries == ["first", "third"])
    withExtendedLifetime(owner) {}
  }

  @Test(
    "Clean-up registered only where set-up happened: the viewDidLoad case",
    arguments: [false, true]
  )
  func cleanUp(isLoaded: Bool) {
    let bus = EventBus()
    let log = Log<String>()
    var page: Page? = Page()
    if isLoaded { page?.viewDidLoad(bus, log) }
    bus.post(.number, 1)
    page = nil
    bus.post(.number, 2)
    #expect(log.entries == (isLoaded ? ["heard 1", "cleaned up"] : []))
    withExtendedLifetime(page) {}
  }

  @Test("RxSwift deallocating and deallocated, with takeUntil", .timeLimit(.minutes(5)))
  func deallocation() async {
    let bus = EventBus()
    let log = Log<String>()
    var screen: Leaving? = Leaving(log)
    let lifetime = screen?.lifetime
    lifetime?.onEnd { log.append("deallocating") }
    screen?.ended.onEnd { log.append("deallocated") }
    let events = bus.events(.number, until: lifetime)
    bus.post(.number, 1)
    screen = nil
    bus.post(.number, 2)
    // The fields exist for the first hook, and are destroyed for the second.
    #expect(log.entries == ["deallocating", "deinit", "field is gone", "deallocated"])
    var heard: [Int] = []
    for await number in events { heard.append(number) }
    #expect(heard == [1])
    withExtendedLifetime(screen) {}
  }
}

/// A page that may die before it was ever loaded.
private final class Page: LifetimeOwner, Sendable {
  let lifetime = Lifetime()

  func viewDidLoad(_ bus: EventBus, _ log: Log<String>) {
    bus.observe(.number, owner: self) { _, number in log.append("heard \(number)") }
    lifetime.onEnd { log.append("cleaned up") }
  }
}

/// An object that ends one lifetime as the first thing of its deinit, and the other one with its fields.
private final class Leaving: LifetimeOwner, Sendable {
  let lifetime = Lifetime()
  private let field: AtDeinit
  let ended = Lifetime()
  private let log: Log<String>

  init(_ log: Log<String>) {
    self.log = log
    field = AtDeinit { log.append("field is gone") }
  }

  deinit {
    lifetime.end()
    log.append("deinit")
  }
}
