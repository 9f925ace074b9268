/// A goal for the project's own figure in one line.
public struct Goal: Sendable {
  /// The goal in words, for the table.
  internal let text: String
  /// Whether missing it fails the run: for counts only, which no other process can disturb.
  internal let isExact: Bool
  /// The number that the goal concerns, or `nil` if a figure that it needs was not measured.
  internal let measure: @Sendable (_ line: Line, _ results: Results) -> Double?
  internal let isMet: @Sendable (Double) -> Bool
}

extension Goal {
  /// A number of times faster, or smaller, than one peer.
  public static func faster(_ times: Double, than peer: Subject) -> Goal {
    Goal(text: "≥ \(format(times))× \(peer.name)", isExact: false) { line, _ in
      line.multiple(of: peer)
    } isMet: {
      $0 >= times
    }
  }

  /// A number of times faster, or smaller, than the best of several peers.
  ///
  /// - Parameters:
  ///   - times: The number of times.
  ///   - peers: Those to beat; the ones that were not measured are left out.
  ///   - name: The name of the best of them in the table.
  /// - Returns: The goal.
  public static func faster(_ times: Double, thanBestOf peers: [Subject], _ name: String) -> Goal {
    Goal(text: "≥ \(format(times))× \(name)", isExact: false) { line, _ in
      peers.compactMap { line.multiple(of: $0) }.min()
    } isMet: {
      $0 >= times
    }
  }

  /// At most this part of a peer's figure.
  public static func atMost(_ part: Double, of peer: Subject) -> Goal {
    Goal(text: "≤ \(format(part)) of \(peer.name)", isExact: false) { line, _ in
      line.multiple(of: peer).map { 1 / $0 }
    } isMet: {
      $0 <= part
    }
  }

  /// At most a multiple of the project's own figure in another line.
  public static func atMost(_ times: Double, timesLine title: String) -> Goal {
    Goal(text: "≤ \(format(times))× “\(title)”", isExact: false) { line, results in
      guard let own = line.own, let other = results.line(titled: title)?.own else { return nil }
      return own / other
    } isMet: {
      $0 <= times
    }
  }

  /// At most this number.
  public static func atMost(_ limit: Double) -> Goal {
    Goal(text: "≤ \(format(limit))", isExact: false) { line, _ in
      line.own
    } isMet: {
      $0 <= limit
    }
  }

  /// At most a number of milliseconds, of a time.
  public static func atMost(milliseconds limit: Double) -> Goal {
    Goal(text: "≤ \(format(limit)) ms", isExact: false) { line, _ in
      line.own.map { $0 / 1e6 }
    } isMet: {
      $0 <= limit
    }
  }

  /// At least this number.
  public static func atLeast(_ limit: Double) -> Goal {
    Goal(text: "≥ \(format(limit))", isExact: false) { line, _ in
      line.own
    } isMet: {
      $0 >= limit
    }
  }

  /// Nothing at all; the run fails otherwise.
  public static let zero = Goal(text: "0, or the run fails", isExact: true) { line, _ in
    line.own
  } isMet: {
    $0 == 0
  }
}
