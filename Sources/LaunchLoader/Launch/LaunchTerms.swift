/// What a registration asks of its launch.
package struct LaunchTerms: Sendable {
  /// The work that has to have finished first.
  package var after: [LaunchID]
  /// The work that has to have ended first, if there is any of that name.
  package var afterIfPresent: [LaunchID]
  /// The phase.
  package var phase: LaunchPhase
  /// How long the work may take; `nil` for as long as it likes.
  package var timeout: Duration?

  /// Asks for something.
  package init(
    after: [LaunchID] = [],
    afterIfPresent: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil
  ) {
    self.after = after
    self.afterIfPresent = afterIfPresent
    self.phase = phase
    self.timeout = timeout
  }

  /// Whether the work may have to wait for other work.
  package var hasDependencies: Bool { !after.isEmpty || !afterIfPresent.isEmpty }
}
