import EventBus
import TestSupport
import Testing
import Theming

extension EventNames {
  fileprivate static let wish = EventName<Int>("wish")
}

@MainActor
@Suite("Switches requested from other threads during a switch", .timeLimit(.minutes(5)))
struct MailedSwitchTests {
  @Test(
    "Twenty requests in a row, each made during the one before, are all used: that is not a loop"
  )
  func noLoop() async throws {
    let bus = EventBus()
    let manager = makeManager(rounded(0), bus: bus)
    let refused = Log<Int>()
    let wishes = bus.observe(.wish) { radius in
      do { try manager.use(rounded(radius)) } catch { refused.append(radius) }
    }
    let label = Label(manager, map: [.set(\.corner, .radius)])
    label.whenTouched = { label in
      let next = label.corner + 1
      guard next <= 20 else { return }
      _ = blockedOnThread { bus.post(.wish, next) }
    }
    try manager.use(rounded(1))
    await until(asking: await label.corner >= 20 || !refused.entries.isEmpty)
    #expect(refused.entries.isEmpty)
    #expect(label.corner == 20)
    #expect(manager.version == 20)
    withExtendedLifetime(wishes) {}
  }

  @Test("A request in the last round of a loop is accepted and used afterwards")
  func afterALoop() async throws {
    let bus = EventBus()
    let manager = makeManager(rounded(0), bus: bus)
    let log = Log<String>()
    let wishes = bus.observe(.wish) { radius in
      do { try manager.use(rounded(radius)) } catch { log.append("wish \(error)") }
    }
    let label = Label(manager, map: [.set(\.corner, .radius)])
    label.whenTouched = { label in
      guard label.corner < 50 else { return }
      if label.corner == 16 { _ = blockedOnThread { bus.post(.wish, 50) } }
      do {
        try manager.use(rounded(label.corner + 1))
      } catch {
        log.append("loop \((error as? ThemeError)?.code == .switchLoop)")
      }
    }
    let error = #expect(throws: ThemeError.self) { try manager.use(rounded(1)) }
    #expect(error?.code == .switchLoop)
    await until(asking: await label.corner >= 50 || log.entries.count >= 2)
    #expect(log.entries == ["loop true"])
    #expect(manager.theme.name == "rounded 50")
    withExtendedLifetime(wishes) {}
  }

  @Test("A switch made before a mailed one is used replaces it and is applied on return")
  func overtaken() async throws {
    let bus = EventBus()
    let manager = makeManager(rounded(0), bus: bus)
    let wishes = bus.observe(.wish) { try manager.use(rounded($0)) }
    let label = Label(manager, map: [.set(\.corner, .radius)])
    label.whenTouched = { label in
      guard label.corner == 1 else { return }
      _ = blockedOnThread { bus.post(.wish, 2) }
    }
    try manager.use(rounded(1))
    try manager.use(rounded(3))
    #expect(label.corner == 3)
    await rest()
    #expect(label.corner == 3)
    withExtendedLifetime(wishes) {}
  }

  @Test("A request from another thread keeps its place before a request of the running switch")
  func inOrder() throws {
    let bus = EventBus()
    let manager = makeManager(rounded(0), bus: bus)
    let scope = try manager.scope { _ in }
    let names = Log<String>()
    let wishes = bus.observe(.wish) { try scope.use(rounded($0)) }
    let changes = bus.observe(.themeDidChange) { change in
      names.append("\(change.manager === scope ? "scope" : "manager") \(change.new.name)")
      // The post has delivered the wish before.
      if change.manager === manager, change.new.name == "rounded 1" {
        try manager.use(rounded(3))
      }
    }
    let label = Label(manager, map: [.set(\.corner, .radius)])
    label.whenTouched = { label in
      if label.corner == 1 { _ = blockedOnThread { bus.post(.wish, 2) } }
    }
    try manager.use(rounded(1))
    #expect(
      names.entries
        == ["manager rounded 1", "scope rounded 1", "scope rounded 2", "manager rounded 3"]
    )
    withExtendedLifetime([wishes, changes]) {}
  }
}
