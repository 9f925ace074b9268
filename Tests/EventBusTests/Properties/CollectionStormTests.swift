import EventBus
import TestSupport
import Testing

@Suite("Observers of elements among writers, guests, pauses and silent writes")
struct CollectionStormTests {
  private static let seeds = 0..<size(2, full: 16)

  /// Numbers for a test whose handlers draw them as well.
  private final class Dice {
    private var numbers: SampleNumbers
    /// The number of writes that handlers may still make before the next step.
    var answers = 0

    init(_ seed: Int) { numbers = SampleNumbers(seed: seed) }

    func roll(_ sides: Int) -> Int { numbers.next(below: sides) }

    /// Decides whether a handler writes.
    func answers(one sides: Int) -> Bool {
      guard answers > 0, roll(sides) == 0 else { return false }
      answers -= 1
      return true
    }
  }

  /// Writes in random ways, while observers, validators and silent writes come and go.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - dice: The source of all choices.
  ///   - mirror: The registration of the observer under test.
  ///   - known: Returns the value that the observer has put together.
  ///   - silently: Makes a write that is not reported.
  ///   - write: Makes one write.
  private func storm<Value: Equatable>(
    _ property: Observed<Value>,
    _ dice: Dice,
    _ mirror: Token,
    known: () -> Value,
    silently: (inout Value) -> Void,
    write: @escaping () -> Void
  ) {
    var guests: [Token] = []
    func answer() {
      guard dice.answers(one: 4) else { return }
      if dice.roll(3) == 0 { batch { write() } } else { write() }
    }
    for _ in 0..<800 {
      dice.answers = 5
      switch dice.roll(14) {
      case 0: batch { for _ in 0..<dice.roll(5) { write() } }
      case 1: property.withoutNotifying(silently)
      case 2:
        let pause = mirror.pause()
        write()
        if dice.roll(2) == 0 { write() }
        pause.cancel()
      case 3: guests.append(property.observe { _ in answer() })
      case 4: guests.append(property.observe(initial: true, prior: true) { _ in answer() })
      case 5: guests.append(property.validate { _, _ in dice.roll(3) > 0 })
      case 6, 7:
        if !guests.isEmpty { guests.remove(at: dice.roll(guests.count)).cancel() }
      case 8:
        batch {
          write()
          guests.append(property.observe { _ in answer() })
          write()
        }
      default: write()
      }
    }
    guests = []
    property.notifyChange(from: known())
    #expect(known() == property.value)
  }

  @Test("An array put together from its changes equals the property", arguments: seeds)
  func arrays(seed: Int) {
    let (shelf, dice) = (Shelf(), Dice(seed))
    var mirror: [Int] = []
    let items = shelf.itemsProperty
    let writer = shelf.$items.observeElements { _ in
      if dice.answers(one: 5) { items.append(dice.roll(3)) }
    }
    let token = shelf.$items.observeElements(initial: true) { change in
      // As a list's batch update: deletions in the old rows, then insertions in the new ones.
      var rows = mirror
      rows.removeSubranges(change.removals)
      for place in change.insertions.ranges.joined() { rows.insert(change.new[place], at: place) }
      #expect(rows == change.new)
      if change.kind == .splices {
        let isExact = mirror.apply(change.splices, ==)
        #expect(isExact)
      } else {
        for splice in change.minimalSplices() { mirror.apply(splice) }
      }
      #expect(mirror == change.new)
    }
    storm(items, dice, token, known: { mirror }, silently: { $0.append(8) }) {
      let count = items.value.count
      let some = (0..<dice.roll(4)).map { _ in dice.roll(6) }
      let place = dice.roll(count + 1)
      let end = place + dice.roll(count - place + 1)
      switch dice.roll(14) {
      case 0: items.append(dice.roll(6))
      case 1: items.append(contentsOf: some)
      case 2: items.insert(dice.roll(6), at: place)
      case 3: items.insert(contentsOf: some, at: place)
      case 4 where place < count: items.remove(at: place)
      case 5: items.removeSubrange(place..<end)
      case 6: items.replaceSubrange(place..<end, with: some)
      case 7 where place < count: items.replace(at: place, with: dice.roll(6))
      case 8 where place < count: items.move(from: place, to: dice.roll(count))
      case 9 where place < count: items.swapAt(place, dice.roll(count))
      case 10: items.removeAll { $0 == place % 6 }
      case 11 where count > 20: items.removeAll()
      case 12: shelf.items = shelf.items.reversed() + some
      default: shelf.items.insert(dice.roll(6), at: 0)
      }
    }
    withExtendedLifetime(writer) {}
  }
}
