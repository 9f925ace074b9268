#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension SharedObservedTests {
  /// Uses the property it refers to while it is compared.
  private struct Meddler: Equatable, Sendable {
    let body: @Sendable () -> Void

    static func == (left: Meddler, right: Meddler) -> Bool {
      left.body()
      return false
    }
  }

  /// Expects a message on standard error that names the property and the remedy.
  private func expectMessage(_ result: ExitTest.Result?) throws {
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("the property at Sample/Here.swift:12 was used inside its own update"))
    #expect(text.contains("Work with the value that update hands to its closure"))
  }

  @Test("Reading the property inside its own update traps with its source site")
  func readInUpdate() async throws {
    try expectMessage(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
        property.update { $0 = property.value + 1 }
      }
    )
  }

  @Test("Reading a sequence of values from inside an update traps with the property's source site")
  func valuesInUpdate() async throws {
    try expectMessage(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
        property.update { _ in _ = property.values() }
      }
    )
  }

  @Test("Updating the property inside its own update traps with its source site")
  func updateInUpdate() async throws {
    try expectMessage(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
        property.update { _ in property.update { $0 = 1 } }
      }
    )
  }

  @Test("Observing with an owner inside an update traps with the property's source site")
  func observeWithOwnerInUpdate() async throws {
    try expectMessage(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
        let owner = PlainOwner()
        property.update { _ in property.observe(owner: owner, id: 1) { _, _ in } }
      }
    )
  }

  @Test("Observing the property in the comparison of its values traps with its source site")
  func observeInComparison() async throws {
    try expectMessage(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let holder = Holder<SharedObserved<Meddler>>()
        let meddler = Meddler { holder.value?.observe { _ in }.cancel() }
        holder.hold(SharedObserved(meddler, fileID: "Sample/Here.swift", line: 12))
        let token = holder.value?.observe { _ in }
        holder.value?.value = meddler
        token?.cancel()
      }
    )
  }

  @Test("Using the property in the comparison of its values traps with its source site")
  func readInComparison() async throws {
    try expectMessage(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let holder = Holder<SharedObserved<Meddler>>()
        let meddler = Meddler { _ = holder.value?.value }
        holder.hold(SharedObserved(meddler, fileID: "Sample/Here.swift", line: 12))
        let token = holder.value?.observe { _ in }
        holder.value?.update { $0 = meddler }
        token?.cancel()
      }
    )
  }

  @Test("More than 100 consecutive changes by the observers themselves cause one warning")
  func feedback() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
      let token = property.observe { [unowned property] change in
        if change.new % 150 != 0 { property.value = change.new + 1 }
      }
      property.value = 1
      property.value = 151
      precondition(property.value == 300)
      withExtendedLifetime(token) {}
    }
    try expectWarnings(1, result)
  }

  @Test("An actor-isolated observer that sets its property more than 100 times causes one warning")
  func feedbackOnAnActor() async throws {
    try expectWarnings(
      1,
      await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
        let isOver = ManualLatch()
        let token = property.observe { @SampleActor [unowned property] change in
          if change.new < 300 { property.value = change.new + 1 } else { isOver.open() }
        }
        property.value = 1
        await isOver.wait()
        withExtendedLifetime(token) {}
      }
    )
  }

  @Test("100 sets by an actor-isolated observer and any number of other changes are not a loop")
  func noFeedbackOnAnActor() async throws {
    try expectWarnings(
      0,
      await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
        let isOver = ManualLatch()
        let token = property.observe { @SampleActor [unowned property] change in
          if change.new < 101 { property.value = change.new + 1 }
          if change.new == 1_000 { isOver.open() }
        }
        for value in [1] + Array(501...1_000) { property.value = value }
        await isOver.wait()
        withExtendedLifetime(token) {}
      }
    )
  }

  @Test("An observer that sets its property from its registration on causes a warning")
  func feedbackInARegistration() async throws {
    try expectWarnings(
      1,
      await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
        let isOver = ManualLatch()
        let token = property.observe(options: .initial) { [unowned property] change in
          if change.new < 300 { property.value = change.new + 1 } else { isOver.open() }
        }
        await isOver.wait()
        withExtendedLifetime(token) {}
      }
    )
  }

  /// Expects so many warnings about the property of the program that has ended.
  private func expectWarnings(_ count: Int, _ result: ExitTest.Result?) throws {
    let lines = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      .split(separator: "\n").filter { $0.contains("Sample/Here.swift:12") }
    #expect(lines.count == count)
  }
}
#endif
