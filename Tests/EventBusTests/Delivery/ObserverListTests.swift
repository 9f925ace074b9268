import EventBus
import TestSupport
import Testing

@Suite("Observer list")
struct ObserverListTests {
  @Test("The list forgets a registration that ends while paused or in a bag")
  func records() {
    let (signal, bag) = (Signal<Int>(), TokenBag())
    let (kept, paused) = (signal.observe { _ in }, signal.observe { _ in })
    kept.store(in: bag)
    let pause = paused.pause()
    signal._checkInvariants()
    kept.cancel()
    paused.cancel()
    signal._checkInvariants()
    withExtendedLifetime(pause) {}
  }

  @Test(
    "Counts, flags and order are right after any registrations, ends and deaths",
    arguments: 0..<size(1, full: 8)
  )
  func anySequence(seed: Int) {
    let signal = Signal<Int>()
    var numbers = SampleNumbers(seed: seed)
    var tokens: [Token] = []
    var owners: [PlainOwner] = []
    var senders = (0..<12).map { _ in SampleSender() }
    for step in 0..<800 {
      // Grows, shrinks, and grows again.
      let grows = numbers.next(below: 10) < ((step / 200).isMultiple(of: 2) ? 8 : 3)
      switch numbers.next(below: 10) {
      case 0:
        senders[numbers.next(below: senders.count)] = SampleSender()
      case 1 where !owners.isEmpty:
        owners.remove(at: numbers.next(below: owners.count))
      case 2:
        signal.send(step, from: senders[numbers.next(below: senders.count)])
      case _ where grows || tokens.isEmpty:
        let owner = PlainOwner()
        owners.append(owner)
        let sender = senders[numbers.next(below: senders.count)]
        let priority = [Priority.low, .normal, .high][numbers.next(below: 3)]
        let token =
          switch numbers.next(below: 6) {
          case 0: signal.observe { _ in }
          case 1: signal.observe(priority: priority) { _ in }
          case 2:
            signal.observe(owner: owner, priority: priority) { owner, value in
              owner.log.append(value)
            }
          case 3: signal.observe(from: sender, priority: priority) { _ in }
          case 4: signal.observe(from: sender, once: true) { _ in }
          default: signal.observe { @MainActor _ in }
          }
        tokens.append(token)
      default:
        tokens.remove(at: numbers.next(below: tokens.count)).cancel()
      }
      signal._checkInvariants()
    }
    tokens = []
    signal._checkInvariants()
    withExtendedLifetime((owners, senders)) {}
  }

  @Test("A list of many senders grows and shrinks with them")
  func manySenders() {
    let signal = Signal<Int>()
    var registered = (0..<size(150, full: 300)).map { _ in SampleSender() }.map { sender in
      (sender, signal.observe(from: sender) { _ in })
    }
    signal._checkInvariants()
    while !registered.isEmpty {
      registered.removeLast().1.cancel()
      signal._checkInvariants()
    }
    #expect(signal.observerCount == 0)
  }
}
