private import Dispatch
private import _EventBusLocks

/// Counts the events of a bridge, and calls the hook with its reports.
///
/// The hook is called on its own queue: a burst of drops is one report, and does not delay the posting code. If
/// the hook is slow, a thousand reports wait for it in full, and only the numbers of further ones, by kind and
/// event.
final class Tally: Sendable {
  private struct Topic: Hashable {
    let kind: BridgeReport.Kind
    let event: String
  }

  private struct State {
    var counts = BridgeCounts()
    var waiting: [BridgeReport] = []
    var others: [Topic: Int] = [:]
  }

  private static let limit = 1000

  private let state = Locked(State())
  private let hook: @Sendable (BridgeReport) -> Void
  private let queue = DispatchQueue(label: "EventBusNATS.reports")

  /// Creates the counts.
  ///
  /// - Parameters:
  ///   - node: The name of the node, for lines on standard error.
  ///   - hook: The hook; `nil` for such lines.
  init(_ node: String, _ hook: (@Sendable (BridgeReport) -> Void)?) {
    self.hook = hook ?? ReportLines(node).hook
  }

  var counts: BridgeCounts { state.withLock { $0.counts } }

  func count(_ body: (inout BridgeCounts) -> Void) {
    state.withLock { body(&$0.counts) }
  }

  func report(_ report: BridgeReport) {
    let isFirst = state.withLock { state in
      let (sum, isTooLarge) = state.counts[report.kind].addingReportingOverflow(report.count)
      state.counts[report.kind] = isTooLarge ? .max : sum
      if let last = state.waiting.last, let merged = last.merged(with: report) {
        state.waiting[state.waiting.count - 1] = merged
        return false
      }
      if state.waiting.count >= Self.limit {
        state.others[Topic(kind: report.kind, event: report.event), default: 0] += report.count
        return false
      }
      state.waiting.append(report)
      return state.waiting.count == 1
    }
    if isFirst { queue.async { self.deliver() } }
  }

  /// A promise that ends when the hook has returned from all reports so far.
  func delivered() -> Promise<Void> {
    let promise = Promise<Void>()
    queue.async { promise.fulfill() }
    return promise
  }

  private func deliver() {
    let (reports, others) = state.withLock { state in
      defer { (state.waiting, state.others) = ([], [:]) }
      return (state.waiting, state.others)
    }
    for report in reports { hook(report) }
    for (topic, count) in others {
      hook(BridgeReport(topic.kind, topic.event, count: count, "reported late, without details"))
    }
  }
}

extension BridgeReport {
  /// One report instead of two that differ in their number only.
  fileprivate func merged(with next: BridgeReport) -> BridgeReport? {
    guard kind == next.kind, event == next.event, node == next.node, detail == next.detail else {
      return nil
    }
    let (sum, isTooLarge) = count.addingReportingOverflow(next.count)
    return BridgeReport(kind, event, count: isTooLarge ? .max : sum, node: node, detail)
  }
}
