import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Cleanup of dead objects")
struct ThemeGrowthTests {
  private final class Box {
    var width = 0
  }

  private final class Screen: LifetimeOwner {
    let lifetime = Lifetime()
    var width = 0
  }

  @Test("Later registrations remove dead objects with a lifetime and a token in a bag")
  func lifetimeOwnersInABag() {
    let manager = makeManager()
    let bag = TokenBag()
    for _ in 0..<1_000 {
      let screen = Screen()
      manager.follow(screen, [.set(\.width, .radius)]).store(in: bag)
    }
    #expect(manager.subscriptionSlotCount < 500)
  }

  @Test("Views that begin to follow remove objects that died before")
  func removedByViews() {
    let manager = makeManager()
    var boxes = (0..<200).map { _ in Box() }
    for box in boxes { manager.follow(box, [.set(\.width, .radius)]) }
    boxes = []
    let labels = (0..<20).map { _ in Label(manager) }
    for label in labels { label.themeMap = [.set(\.corner, .radius)] }
    #expect(manager.subscriptionSlotCount < 100)
    withExtendedLifetime((boxes, labels)) {}
  }

  @Test("A switch that finds a dead object ends its registration and resumes waiting tasks")
  func endedByASwitch() async throws {
    let manager = makeManager()
    var box: Box? = Box()
    let token = try #require(box.map { manager.follow($0, [.set(\.width, .radius)]) })
    box = nil
    try manager.use(rounded(9))
    try #require(!token.isActive)
    await token.waitUntilFinished()
  }

  @Test("A replaced theme is released even if a scope was created meanwhile")
  func catalogOfScopes() throws {
    let manager = makeManager()
    let log = Log<String>()
    manager.register(
      Theme("guest", appearance: .dark) { $0[.guest] = Guest { log.append("gone") } }
    )
    let scope = try manager.scope { $0[.radius] = 1 }
    manager.register(Theme("guest", appearance: .dark))
    #expect(log.entries == ["gone"])
    try scope.use("guest")
    #expect(scope.theme.name == "guest")
  }
}
