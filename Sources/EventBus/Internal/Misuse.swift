/// Where the module stops a program that was written wrongly.
package enum Misuse {
  /// Stops the program.
  ///
  /// - Parameters:
  ///   - problem: What is wrong, naming the thing.
  ///   - remedy: What to do instead.
  package static func trap(_ problem: String, remedy: String) -> Never {
    fatalError("EventBus: \(problem). \(remedy).")  // Reason: the one trap of the module.
  }
}
