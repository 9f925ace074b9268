/// Stops the program for a mistake in the calling code: the one place where this module traps.
///
/// Unlike `precondition` it says why in release builds too.
///
/// - Parameters:
///   - problem: What is wrong, naming the thing.
///   - remedy: What to do instead.
internal func trap(_ problem: String, remedy: String) -> Never {
  fatalError("LaunchLoader: \(problem). \(remedy).")  // Reason: the one trap.
}
