/// The switches that led to one another, from the one that began to the one that is being applied.
internal struct SwitchChain {
  /// How many openings of waiting events the caller who began was in; a switch that is asked for
  /// in a further one was not led to.
  internal let openings: Int
  /// The names of the themes so far.
  internal var names: [String] = []
  /// What was thrown to the first caller who asked in the last round.
  private var error: ThemeError?

  /// Creates the chain of nothing yet.
  ///
  /// - Parameter openings: How many openings of waiting events the caller is in.
  internal init(openings: Int = 0) { self.openings = openings }

  /// Takes note that a switch was asked for in the last round.
  ///
  /// - Parameter name: The name of its theme.
  /// - Returns: The error to be thrown to the caller.
  internal mutating func refuse(_ name: String) -> ThemeError {
    let refusal = ThemeError(.switchLoop, themes: names + [name])
    error = error ?? refusal
    return refusal
  }

  /// Throws to the caller who began what was thrown in the last round.
  internal func check() throws(ThemeError) {
    if let error { throw error }
  }
}
