#if DEBUG && (os(Linux) || os(macOS))
import EventBus
import TestSupport
import Testing

/// An owner of registrations that belong to no bus.
private final class CapturingModel: @unchecked Sendable {  // Reason: one task uses it.
  @Observed var count = 0
  @Observed var names: [String] = []
  let shared = SharedObserved(0)

  func registerWell() {
    $count.observe(owner: self) { me, _ in _ = me.count }
    $count.observe(owner: self) { [weak self] _, _ in _ = self?.count }
    $count.observe(owner: self) { [unowned self] _, _ in _ = count }
    $names.observeElements(owner: self) { [unowned self] _, _ in _ = count }
    shared.observe(owner: self) { [unowned self] _, _ in _ = count }
    shared.observe(owner: self) { @MainActor [weak self] _, _ in _ = self?.count }
    every(.seconds(3_600), owner: self) { [unowned self] _, _ in _ = count }
    after(.seconds(3_600), owner: self) { [weak self] _, _ in _ = self?.count }
  }

  func registerBadly() {
    $count.observe(owner: self) { _, _ in _ = self.count }
    $names.observeElements(owner: self) { _, _ in _ = self.count }
    $names.observe(owner: self) { _, _ in _ = self.count }
    shared.observe(owner: self) { _, _ in _ = self.count }
    shared.observe(owner: self) { @MainActor _, _ in _ = self.count }
    every(.seconds(3_600), owner: self) { _, _ in _ = self.count }
    after(.seconds(3_600), owner: self) { _, _ in _ = self.count }
  }
}

extension RetainedOwnerTests {
  @Test(
    "Handlers of properties and timers that retain their own owner are written to standard error"
  )
  func withoutBus() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let model = CapturingModel()
      model.registerWell()
      printError("--")
      for _ in 0..<2 { model.registerBadly() }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let parts = text.split(separator: "--\n", omittingEmptySubsequences: false)
    #expect(parts.first == "")
    let lines = parts.last?.split(separator: "\n") ?? []
    #expect(lines.count == 7, "\(text)")
    #expect(lines.allSatisfy { $0.contains("retains its own owner, of type CapturingModel") })
    #expect(lines.filter { $0.contains("RetainedOwnerExitTests.swift:") }.count == 4)
  }
}
#endif
