import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Entries of dead objects")
struct GarbageTests {
  /// An object that dies without notice when it is released.
  private final class Box {
    let name: Int
    var width = 0 { didSet { touched?(name) } }
    var touched: ((Int) -> Void)?

    init(_ name: Int) { self.name = name }
  }

  @Test("Objects that die one after the other take at most eight slots")
  func dieAtOnce() {
    let manager = makeManager()
    for name in 0..<size(1_000, full: 10_000) {
      follow(manager, Box(name))
      #expect(manager.subscriptionSlotCount <= 8)
    }
    #expect(manager.subscriberCount == 0)
  }

  @Test(
    "After a registration at most max(8, 2 × living) slots are taken, whichever objects died",
    arguments: [
      "all", "the older half and one", "the newer half and one", "two of three", "at random",
    ]
  )
  func dieTogether(_ who: String) {
    let manager = makeManager()
    var boxes = (0..<1_000).map(Box.init)
    for box in boxes { follow(manager, box) }
    var random = SampleNumbers(seed: 1)
    boxes.removeAll { box in
      switch who {
      case "all": true
      case "the older half and one": box.name <= 500
      case "the newer half and one": box.name >= 499
      case "two of three": box.name % 3 != 0
      default: random.next(below: 4) != 0
      }
    }
    boxes.append(Box(1_000))
    follow(manager, boxes[boxes.count - 1])
    #expect(manager.subscriptionSlotCount <= max(8, 2 * boxes.count))
    withExtendedLifetime(boxes) {}
  }

  @Test("Living objects stay registered, in order, through every sweep")
  func sparesTheLiving() throws {
    let manager = makeManager()
    var boxes = (0..<1_000).map(Box.init)
    for box in boxes { follow(manager, box) }
    boxes.removeAll { $0.name % 10 != 0 }
    boxes.append(Box(1_000))
    follow(manager, boxes[boxes.count - 1])
    var touched: [Int] = []
    for box in boxes { box.touched = { touched.append($0) } }
    try manager.use(rounded(9))
    #expect(touched == Array(stride(from: 0, through: 1_000, by: 10)))
  }

  @Test("1,000 views that die in any order are removed at once")
  func views() {
    let manager = makeManager()
    var labels = (0..<1_000).map { _ in Label(manager) }
    for label in labels { label.themeMap = .full }
    var random = SampleNumbers(seed: 2)
    labels.shuffle(using: &random)
    while !labels.isEmpty {
      labels.removeLast()
      #expect(manager.subscriberCount == labels.count)
    }
  }

  private func follow(_ manager: ThemeManager, _ box: Box) {
    manager.follow(box, [.set(\.width, .radius)])
  }

  @Test("A switch removes the subscription of a dead object although it is paused")
  func pausedAndDead() throws {
    let manager = makeManager()
    var pauses: [Token] = []
    var panels = (0..<100).map { _ in PausedPanel() }
    for panel in panels { pauses.append(manager.follow(panel, [.set(\.width, .radius)]).pause()) }
    panels = []
    try manager.use(rounded(9))
    #expect(manager.subscriptionSlotCount <= 8)
    withExtendedLifetime((pauses, panels)) {}
  }

  private final class PausedPanel {
    var width = 0
  }
}
