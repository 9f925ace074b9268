private import _EventBusLocks

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#elseif canImport(Glibc)
private import Glibc
#else
#error("Unknown C library: add it here.")
#endif

/// The reports of a bridge without a hook, as lines on standard error.
///
/// Of the reports about one event for one reason, the first is a line, and those at which the number of events has
/// doubled. Durable events that are given up always are one, as the bridge has ended then.
final class ReportLines: Sendable {
  private struct Topic: Hashable {
    let kind: BridgeReport.Kind
    let event: String
  }

  private struct State {
    /// The number of events, and the number that the next line needs.
    var counts: [Topic: (count: Int, next: Int)] = [:]
  }

  private let node: String
  private let state = Locked(State())

  init(_ node: String) { self.node = node }

  /// The hook that writes the lines.
  var hook: @Sendable (BridgeReport) -> Void {
    { report in
      guard let line = self.line(report) else { return }
      var bytes = Array("\(line)\n".utf8)[...]
      while !bytes.isEmpty {
        // Reason: within the bytes.
        let count = unsafe bytes.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return }
        bytes = bytes.dropFirst(count)
      }
    }
  }

  /// The line of a report, if it has one.
  func line(_ report: BridgeReport) -> String? {
    switch report.kind {
    case .past, .failed: return nil
    default: break
    }
    let topic = Topic(kind: report.kind, event: report.event)
    let count = state.withLock { state in
      var (count, next) = state.counts[topic] ?? (0, 1)
      count = report.count > .max - count ? .max : count + report.count
      let isLine = count >= next || report.kind == .givenUp
      if isLine { next = count > .max / 2 ? .max : count * 2 }
      state.counts[topic] = (count, next)
      return isLine ? count : nil
    }
    guard let count else { return nil }
    let total = count > report.count ? " (\(count) in all)" : ""
    return "EventBusNATS: bridge \(node.onOneLine): \(report)\(total)"
  }
}
