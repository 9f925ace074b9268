private import Dispatch
private import Synchronization

/// Counts what a bridge does, and reports it to the hook.
///
/// The hook is called on a queue of its own: a burst of drops is one report, and costs its poster nothing more.
final class Tally: Sendable {
  private struct State {
    var counts = BridgeCounts()
    var waiting: [BridgeReport] = []
  }

  private let state = Mutex(State())
  private let hook: (@Sendable (BridgeReport) -> Void)?
  private let queue = DispatchQueue(label: "EventBusNATS.reports")

  init(_ hook: (@Sendable (BridgeReport) -> Void)?) { self.hook = hook }

  var counts: BridgeCounts { state.withLock { $0.counts } }

  func count(_ body: (inout BridgeCounts) -> Void) {
    state.withLock { body(&$0.counts) }
  }

  func report(_ report: BridgeReport) {
    let isFirst = state.withLock { state in
      state.counts[report.kind] += report.count
      guard hook != nil else { return false }
      if let last = state.waiting.last, let merged = last.merged(with: report) {
        state.waiting[state.waiting.count - 1] = merged
        return false
      }
      state.waiting.append(report)
      return state.waiting.count == 1
    }
    if isFirst { queue.async { self.deliver() } }
  }

  private func deliver() {
    let reports = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for report in reports { hook?(report) }
  }
}

extension BridgeReport {
  /// One report instead of two that differ in nothing but their number.
  fileprivate func merged(with next: BridgeReport) -> BridgeReport? {
    guard kind == next.kind, event == next.event, node == next.node, detail == next.detail else {
      return nil
    }
    return BridgeReport(kind, event, count: count + next.count, node: node, detail)
  }
}
