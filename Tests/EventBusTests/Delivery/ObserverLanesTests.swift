import EventBus
import Synchronization
import Testing

@Suite("Priority lists of an observer list")
struct ObserverLanesTests {
  /// An observer that is identified by its line.
  private func observer(_ number: UInt) -> AnyObserver {
    AnyObserver(fileID: #fileID, line: number)
  }

  private func lines(_ published: borrowing PublishedLanes) -> [UInt] {
    var lines: [UInt] = []
    published.forEach { observer, _ in lines.append(observer.line) }
    return lines
  }

  private func free(_ retirees: Retirees) { retirees.forEach { $0.free() } }

  @Test("Observers are visited by descending priority, then by registration")
  func order() {
    var lanes = ObserverLanes()
    let published = PublishedLanes()
    for (number, priority) in [(1, 0), (2, 5), (3, -5), (4, 0), (5, 5), (6, 7)] {
      free(lanes.append(observer(UInt(number)), priority: priority, to: published))
    }
    #expect(lines(published) == [6, 2, 5, 1, 4, 3])
    #expect(lanes.isSplit)
    free(lanes.removeAll(from: published))
  }

  @Test("An empty priority list is dropped, and a single remaining one is stored plainly")
  func dropsEmptyLanes() {
    var lanes = ObserverLanes()
    let published = PublishedLanes()
    let first = observer(1)
    let second = observer(2)
    free(lanes.append(first, priority: 0, to: published))
    free(lanes.append(second, priority: 9, to: published))
    free(lanes.remove(first, from: published))
    #expect(!lanes.isSplit)
    #expect(lines(published) == [2])
    #expect(published.live.load(ordering: .relaxed) == 1)
    free(lanes.removeAll(from: published))
  }

  @Test("Removing an observer twice removes it once")
  func removesOnce() {
    var lanes = ObserverLanes()
    let published = PublishedLanes()
    let one = observer(1)
    let other = observer(2)
    free(lanes.append(one, priority: 0, to: published))
    free(lanes.append(other, priority: 0, to: published))
    free(lanes.remove(one, from: published))
    #expect(lanes.remove(one, from: published).isEmpty)
    #expect(lines(published) == [2])
    free(lanes.removeAll(from: published))
  }

  @Test("Slots number at most twice the observers, from eight on", arguments: 0..<6)
  func staysSmall(_ seed: Int) {
    var lanes = ObserverLanes()
    let published = PublishedLanes()
    var living: [AnyObserver] = []
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    for number: UInt in 0..<3_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      if (number / 500).isMultiple(of: 2) || living.isEmpty {
        living.append(observer(number))
        free(lanes.append(living[living.count - 1], priority: 0, to: published))
      } else {
        let index = Int(state >> 33) % living.count
        free(lanes.remove(living.remove(at: index), from: published))
      }
      #expect(lanes.slotCount <= max(8, 2 * living.count))
      #expect(published.live.load(ordering: .relaxed) == living.count)
    }
    #expect(lines(published) == living.map(\.line))
    free(lanes.removeAll(from: published))
  }

  @Test("Emptying the list releases every observer")
  func releasesEverything() {
    var lanes = ObserverLanes()
    let published = PublishedLanes()
    weak var probe: AnyObserver?
    do {
      let kept = observer(1)
      probe = kept
      free(lanes.append(kept, priority: 3, to: published))
    }
    #expect(probe != nil)
    free(lanes.removeAll(from: published))
    #expect(probe == nil)
    #expect(published.live.load(ordering: .relaxed) == 0)
  }
}
