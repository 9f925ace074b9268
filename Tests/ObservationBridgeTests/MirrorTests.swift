internal import EventBus
internal import Observation
internal import ObservationBridge
internal import TestSupport
internal import Testing

@MainActor
private final class Account {
  @Observed var balance = 0
  @Observed var owner = "Ada"
  @Observed(notifies: .manually) var visits = 0
  private(set) lazy var isRich = Computed($balance) { $0 >= 1_000 }

  func visit(times: Int) {
    let old = visits
    visits += times
    _visits.notifyChange(from: old)
  }

  func depositSilently(_ amount: Int) { _balance.withoutNotifying { $0 += amount } }

  var balanceProperty: Observed<Int> { _balance }
}

@MainActor
@Suite("Mirrors of properties", .timeLimit(.minutes(5)))
struct MirrorTests {
  private let account = Account()

  @Test("A reader is invalidated by a change of the property, and by no other assignment")
  func changes() {
    let (balance, owner) = (
      ObservableMirror(of: account.$balance), ObservableMirror(of: account.$owner)
    )
    let (amount, name) = (Reader { balance.value }, Reader { owner.value })
    account.balance = 5
    #expect(amount.invalidations == 1 && name.invalidations == 0)
    amount.update()
    #expect(amount.value == 5)
    account.balance = 5
    account.owner = "Ada"
    #expect(amount.invalidations == 1 && name.invalidations == 0)
    account.balance += 1
    #expect(amount.invalidations == 2)
  }

  @Test("A reader that is invalidated reads the new value at once")
  func inOnChange() {
    let balance = ObservableMirror(of: account.$balance)
    var seen: [Int] = []
    let reader = Reader {
      balance.value
    } inOnChange: {
      seen.append(balance.value)
    }
    account.balance = 5
    #expect(seen == [5])
    withExtendedLifetime(reader) {}
  }

  @Test("A property and its read-only view have mirrors of the same value")
  func bothViews() {
    let (whole, view) = (
      ObservableMirror(of: account.balanceProperty), ObservableMirror(of: account.$balance)
    )
    let (one, other) = (Reader { whole.value }, Reader { view.value })
    account.balance = 5
    #expect(one.invalidations == 1 && other.invalidations == 1)
    #expect(whole.value == 5 && view.value == 5)
  }

  @Test("A property with manual reports invalidates when it reports, and a silent assignment never")
  func manual() {
    let (visits, balance) = (
      ObservableMirror(of: account.$visits), ObservableMirror(of: account.$balance)
    )
    let (count, amount) = (Reader { visits.value }, Reader { balance.value })
    account.visits = 2
    #expect(count.invalidations == 0)
    account.visit(times: 3)
    account.depositSilently(7)
    #expect(count.invalidations == 1 && amount.invalidations == 0)
    #expect(visits.value == 5 && balance.value == 7)
  }

  @Test("A mirror keeps a computed value and its sources, and they do not keep the mirror")
  func ownership() {
    let balance = account.$balance
    let observers = balance.observerSlotCount
    var mirror: ObservableMirror<Int>? = ObservableMirror(of: Computed(balance) { $0 + 1 })
    weak let watched = mirror
    account.balance = 1
    #expect(mirror?.value == 2)
    mirror = nil
    #expect(watched == nil)
    account.balance = 2
    #expect(balance.observerSlotCount == observers)

    var owner: Account? = Account()
    weak let former = owner
    let orphan = owner.map { ObservableMirror(of: $0.$balance) }
    owner?.balance = 3
    owner = nil
    #expect(former == nil && orphan?.value == 3)
  }

  @Test("Mirrors of properties and computed values that come and go leave nothing")
  func comeAndGo() {
    var watched: [WeakReference<ObservableMirror<Int>>] = []
    var computed: [WeakReference<ObservableMirror<Bool>>] = []
    for index in 0..<size(1_000, full: 5_000) {
      let (balance, isRich) = (
        ObservableMirror(of: account.$balance), ObservableMirror(of: account.isRich)
      )
      let reader = Reader { "\(balance.value) \(isRich.value)" }
      if index % 10 == 0 { account.balance = index }
      reader.update()
      watched.append(WeakReference(object: balance))
      computed.append(WeakReference(object: isRich))
    }
    #expect(watched.count { $0.object != nil } == 0 && computed.count { $0.object != nil } == 0)
    #expect(account.$balance.observerSlotCount <= 8)
  }

  @Test(
    "Over 1,000 random assignments, each reader is invalidated as often as its value has changed",
    arguments: 1...size(1, full: 3)
  )
  func randomly(seed: Int) {
    var random = SampleNumbers(seed: seed)
    let (balance, owner) = (
      ObservableMirror(of: account.$balance), ObservableMirror(of: account.$owner)
    )
    let isRich = ObservableMirror(of: account.isRich)
    let readers = [
      Reader { "\(balance.value)" }, Reader { owner.value }, Reader { "\(isRich.value)" },
      Reader { "\(owner.value) \(isRich.value)" },
    ]
    var changes = [0, 0, 0, 0]
    for step in 1...1_000 {
      let before = expectation
      batch {
        for _ in 0...random.next(below: 2) {
          if random.next(below: 2) == 0 {
            account.balance = random.next(below: 4) * 500
          } else {
            account.owner = ["Ada", "Bob", "Cy"][random.next(below: 3)]
          }
        }
      }
      let after = expectation
      for index in readers.indices {
        if before[index] != after[index] { changes[index] += 1 }
        readers[index].update()
      }
      #expect(readers.map(\.invalidations) == changes, "step \(step)")
      #expect(readers.map(\.value) == after, "step \(step)")
    }
    #expect(changes.allSatisfy { 50..<950 ~= $0 })
  }

  /// What the readers of the random test should read.
  private var expectation: [String] {
    let isRich = account.balance >= 1_000
    return ["\(account.balance)", account.owner, "\(isRich)", "\(account.owner) \(isRich)"]
  }

  @Test("`Observations` gets the value after each turn that changed it")
  func sequence() async {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let balance = ObservableMirror(of: account.$balance)
    var amounts = Observations { balance.value }.makeAsyncIterator()
    #expect(await amounts.next() == 0)
    for amount in 1...5 {
      account.balance = -1
      account.balance = amount
      #expect(await amounts.next() == amount)
    }
  }
}
