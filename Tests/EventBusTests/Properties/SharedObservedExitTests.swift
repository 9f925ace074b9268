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

  private enum Use: String, Codable, CaseIterable {
    case read, readValues, update, observe, observeWithOwner
  }

  private static func apply<Value>(_ use: Use, to property: SharedObserved<Value>) {
    switch use {
    case .read: _ = property.value
    case .readValues: _ = property.values()
    case .update: property.update { _ in }
    case .observe: property.observe { _ in }.cancel()
    case .observeWithOwner: property.observe(owner: PlainOwner(), id: 1) { _, _ in }
    }
  }

  /// Expects a message on standard error that names the property and the remedy.
  private func expectMessage(_ result: ExitTest.Result?, _ use: Use) throws {
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      text.contains("The property at Sample/Here.swift:12 was used inside its own update"),
      "\(use)"
    )
    #expect(text.contains("Use the value that update passes to its closure"), "\(use)")
  }

  @Test("Every use of the property inside its own update traps with its source site")
  func usedInUpdate() async throws {
    for use in Use.allCases {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [use = use as Use] in
        let property = SharedObserved(0, fileID: "Sample/Here.swift", line: 12)
        property.update { _ in Self.apply(use, to: property) }
      }
      try expectMessage(result, use)
    }
  }

  @Test("Every use of the property in the comparison of its values traps with its source site")
  func usedInComparison() async throws {
    for use in Use.allCases {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [use = use as Use] in
        let holder = Holder<SharedObserved<Meddler>>()
        let meddler = Meddler { holder.value.map { Self.apply(use, to: $0) } }
        holder.hold(SharedObserved(meddler, fileID: "Sample/Here.swift", line: 12))
        let token = holder.value?.observe { _ in }
        holder.value?.value = meddler
        token?.cancel()
      }
      try expectMessage(result, use)
    }
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
        let token = property.observe(initial: true) { [unowned property] change in
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
