import EventBus
import TestSupport
import Testing

@Suite("Snapshots", .timeLimit(.minutes(5)))
struct SnapshotTests {
  @Test("The snapshot of a new bus is empty")
  func empty() {
    let snapshot = EventBus(label: "empty").snapshot()
    #expect(snapshot.observations.isEmpty)
    #expect(snapshot.label == "empty")
  }

  @Test("A snapshot lists every registration with name, source site, priority and owner type")
  func everyRegistration() throws {
    let bus = EventBus()
    let owner = LivedOwner()
    let token = bus.observe(.number, priority: .high) { _ in }
    let line: UInt = #line - 1
    bus.observe(.text, owner: owner, priority: 7, fileID: "Sample/Here.swift", line: 42) {
      _,
      _ in
    }
    let all = bus.observeAll(priority: .low) { _ in }
    let found = bus.snapshot().observations
    #expect(Set(found.map(\.name)) == ["sample.number", "sample.text", "*"])
    #expect(found.count == 3)
    let plain = try #require(found.first { $0.name == "sample.number" })
    #expect(plain.site == SourceSite(fileID: #fileID, line: line))
    #expect(plain.priority == .high)
    #expect(plain.ownerType == nil)
    #expect(plain.isAlive)
    #expect(!plain.isPaused)
    let owned = try #require(found.first { $0.name == "sample.text" })
    #expect(owned.site == SourceSite(fileID: "Sample/Here.swift", line: 42))
    #expect(owned.priority == 7)
    #expect(owned.ownerType == "LivedOwner")
    #expect(owned.isAlive)
    withExtendedLifetime((token, all, owner)) {}
  }

  @Test("A snapshot lists a name's registrations in delivery order, including those with a sender")
  func order() {
    let bus = EventBus()
    let sender = SampleSender()
    let tokens = [
      bus.observe(.number, priority: .low, fileID: "Sample", line: 4) { _ in },
      bus.observe(.number, from: sender, fileID: "Sample", line: 2) { _ in },
      bus.observe(.number, fileID: "Sample", line: 3) { _ in },
      bus.observe(.number, from: sender, priority: .high, fileID: "Sample", line: 1) { _ in },
    ]
    #expect(bus.snapshot().observations.map(\.site.line) == [1, 2, 3, 4])
    withExtendedLifetime(tokens) {}
  }

  @Test("A snapshot omits registrations that have ended")
  func ended() {
    let bus = EventBus()
    let owner = LivedOwner()
    let token = bus.observe(.number) { _ in }
    bus.observe(.number, owner: owner) { _, _ in }
    let once = bus.observe(.number, once: true) { _ in }
    #expect(bus.snapshot().observations.count == 3)
    bus.post(.number, 1)
    token.cancel()
    #expect(bus.snapshot().observations.map(\.ownerType) == ["LivedOwner"])
    owner.lifetime.end()
    #expect(bus.snapshot().observations.isEmpty)
    withExtendedLifetime(once) {}
  }

  @Test("A snapshot shows dead owners not yet noticed as dead, paused registrations as paused")
  func deadAndPaused() {
    let bus = EventBus()
    var owner: PlainOwner? = PlainOwner()
    if let owner { bus.observe(.number, owner: owner) { _, _ in } }
    owner = nil
    let token = bus.observe(.text) { _ in }
    let pause = token.pause()
    let found = bus.snapshot().observations
    #expect(found.filter { !$0.isAlive }.map(\.name) == ["sample.number"])
    #expect(found.filter(\.isPaused).map(\.name) == ["sample.text"])
    pause.cancel()
    #expect(bus.snapshot().observations.allSatisfy { !$0.isPaused })
    withExtendedLifetime((owner, token)) {}
  }

  /// An actor whose jobs wait until its executor is opened.
  private actor Held {
    nonisolated let executor = HeldExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }
    func visit() {}
  }

  @Test("A snapshot counts the events that wait for each registration, of any kind")
  func waitingCounts() async {
    let (bus, held) = (EventBus(), Held())
    let (began, mayLeave) = (ManualLatch(), ManualLatch())
    bus.observe(.number, owner: held, fileID: "Sample", line: 1) { (_: isolated Held, _) in }
    bus.observe(.number, owner: held, fileID: "Sample", line: 2) { (_: isolated Held, _) in }
    let tokens = [
      bus.observe(.number, where: { $0 > 2 }, fileID: "Sample", line: 3) { _ in },
      bus.observe(.number, fileID: "Sample", line: 4) { _ in
        began.open()
        await mayLeave.wait()
      },
    ]
    let stream = bus.events(.number, buffering: .bufferingNewest(2), fileID: "Sample", line: 5)
    func waiting() -> [Int] { bus.snapshot().observations.map(\.waitingCount) }
    #expect(waiting() == [0, 0, 0, 0, 0])
    bus.post(.number, 0)
    await began.wait()
    for value in 1...3 { bus.post(.number, value) }
    #expect(waiting() == [4, 4, 0, 3, 2])
    #expect(bus.snapshot().waitingCount == 8)
    held.executor.open()
    mayLeave.open()
    _ = await bus.postAndWait(.number, 4)
    await held.visit()
    #expect(waiting() == [0, 0, 0, 0, 2])
    withExtendedLifetime((tokens, stream)) {}
  }

  @Test("A snapshot counts the events discarded by a buffer")
  func droppedCounts() async {
    let bus = EventBus()
    let (began, mayLeave) = (ManualLatch(), ManualLatch())
    let stream = bus.events(.number, buffering: .bufferingNewest(1), fileID: "Sample", line: 1)
    let token = bus.observe(
      .number,
      buffering: .bufferingOldest(1),
      fileID: "Sample",
      line: 2
    ) { _ in
      began.open()
      await mayLeave.wait()
    }
    bus.post(.number, 0)
    await began.wait()
    for value in 1...4 { bus.post(.number, value) }
    #expect(bus.snapshot().observations.map(\.droppedCount) == [4, 3])
    #expect(stream.droppedCount == 4)
    mayLeave.open()
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("A snapshot counts events that wait for actors and events that found their owner dead")
  func waitingAndLost() {
    let bus = EventBus()
    var panel: Panel? = Panel()
    let token = bus.observe(.text) { _ in MainActor.assertIsolated() }
    if let panel { bus.observe(.number, owner: panel) { _, _ in } }
    blockedOnThread {
      bus.post(.number, 1)
      bus.post(.text, "waits")
    }
    #expect(bus.snapshot().waitingCount == 2)
    #expect(bus.snapshot().lostCount == 0)
    panel = nil
    bus.post(.nothing)
    #expect(bus.snapshot().waitingCount == 0)
    #expect(bus.snapshot().lostCount == 1)
    withExtendedLifetime((panel, token)) {}
  }

  @Test("A snapshot's description is a table with a header and one line per registration")
  func table() {
    let bus = EventBus()
    let owner = LivedOwner()
    bus.observe(.number, owner: owner, fileID: "Sample/Here.swift", line: 42) { _, _ in }
    bus.observe(.text, owner: owner, priority: .high) { _, _ in }
    let lines = bus.snapshot().description.split(separator: "\n")
    #expect(lines.count == 3)
    let line = lines.first { $0.contains("sample.number") } ?? ""
    #expect(line.contains("LivedOwner"))
    #expect(line.contains("Sample/Here.swift:42"))
    let titles = (lines.first ?? "").split(separator: "  ").map { $0.drop { $0 == " " } }
    #expect(titles == ["event", "priority", "dropped", "owner", "registered at"])
    // Columns are aligned.
    let columns = ["LivedOwner", "owner"].map { word in
      lines.compactMap { line in line.firstRange(of: word).map { line[..<$0.lowerBound].count } }
    }
    #expect(Set(columns.joined()).count == 1)
    withExtendedLifetime(owner) {}
  }

  @Test("A snapshot may be taken during registrations, posts and cancellations")
  func storm() async {
    let bus = EventBus()
    await onThreads(3) { thread in
      for value in 0..<300 {
        if thread == 0 {
          #expect(bus.snapshot().observations.count <= 2)
        } else {
          let token = bus.observe(.number) { _ in }
          bus.post(.number, value)
          token.cancel()
        }
      }
    }
    #expect(bus.snapshot().observations.isEmpty)
  }
}
