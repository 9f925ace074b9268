internal import EventBus

/// The work that a launch would run, in order, without running it.
///
/// ```swift
/// let plan = try LaunchLoader.shared.plan()
/// print(plan)  // the layers, phase by phase
/// for edge in plan.edges { print(edge.from, "before", edge.to) }
/// ```
///
/// ## Thread safety
///
/// A value that may be read on any thread.
public struct LaunchPlan: Sendable {
  /// A dependency between two pieces of work.
  public struct Edge: Hashable, Sendable {
    /// The work that runs first.
    public let from: LaunchID
    /// The work that depends on it, and runs after it.
    public let to: LaunchID
    /// A Boolean value that indicates whether `from` must finish, and not only end, for `to` to run.
    ///
    /// It is `false` for dependencies that were registered with `afterIfPresent:`.
    public let isRequired: Bool
  }

  /// The work in layers, each of which depends only on layers before it.
  ///
  /// No layer contains work of two phases. Within a layer, the work is in the order of its turns. A
  /// launch does not run layer by layer: work begins as soon as its own dependencies have ended.
  public let layers: [[LaunchID]]

  /// The phase of each layer.
  package let phases: [LaunchPhase]
  /// The dependencies among the work, from which other drawings of the plan can be made.
  ///
  /// Each dependency occurs once, also if it was declared twice. They are in the order of the turns of the
  /// work that depends, and then of their declaration. Optional dependencies on work that is not registered
  /// are absent, and so is the order of phases.
  public let edges: [Edge]

  /// Plans the work of rows that have taken names.
  ///
  /// - Throws: ``LaunchError`` for the first fault in the dependencies.
  init(_ rows: [LaunchRow], _ names: LaunchNames) throws(LaunchError) {
    let plan = LaunchPlanner(rows, names)
    if let problem = plan.problems.first { throw problem }
    let indices = plan.layers
    layers = indices.map { $0.map { rows[$0].id } }
    phases = indices.map { plan.phases[$0[0]] }
    var edges: [Edge] = []
    for row in indices.joined() {
      plan.forEachDependency(of: row) { target, isHard in
        edges.append(Edge(from: rows[target].id, to: rows[row].id, isRequired: isHard))
      }
    }
    self.edges = edges
  }
}

extension LaunchPlan: CustomStringConvertible {
  /// The numbered layers with their phases, in lines of at most 80 characters unless a name is longer.
  public var description: String {
    let count = layers.reduce(0) { $0 + $1.count }
    var lines = [
      "\(count) launch \(count == 1 ? "worker" : "workers")"
        + " in \(layers.count) \(layers.count == 1 ? "layer" : "layers")"
    ]
    for (index, (layer, phase)) in zip(layers, phases).enumerated() {
      var line = "\(index + 1)".padded(to: 4, before: true) + " " + "\(phase)".padded(to: 9)
      for (position, id) in layer.enumerated() {
        let word = id.rawValue.lines.joined(separator: " ")
        let piece = word + (position + 1 < layer.count ? "," : "")
        if line.count + 1 + piece.count > 80, line.count > 14 {
          lines.append(line)
          line = "".padded(to: 14)
        }
        line += " " + piece
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }
}
