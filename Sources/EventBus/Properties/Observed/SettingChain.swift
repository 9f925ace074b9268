/// The chain of changes that the running thread is in: each was made by a handler of the one before, whichever
/// properties the changes are of.
///
/// The first report of an ``Observed`` property is not counted, because that would cost as much as the report. A chain
/// without end also consists of reports that wait for others, and of handlers of shared properties, which are counted.
@usableFromInline
enum SettingChain: Sendable {
  /// The length from which a chain is warned about.
  static var warningLength: Int { 100 }

  /// The length from which bindings no longer take part in a chain.
  static var bindingLength: Int { 10_000 }

  /// One more than the depth; zero outside any chain.
  private static let number = ThreadNumber()

  /// The number of changes before the one that handlers of this thread are being called for; `nil` if none is known.
  static var depth: Int? { number.value == 0 ? nil : number.value - 1 }

  /// Calls handlers for a change.
  ///
  /// - Parameters:
  ///   - depth: The number of changes before this one.
  ///   - body: Calls the handlers.
  /// - Returns: The result of the closure.
  // Inlined, because the type of the result would be looked up for each call.
  @inline(__always)
  static func calling<Result>(_ depth: Int, _ body: () -> Result) -> Result {
    let outer = number.value
    number.value = depth + 1
    defer { number.value = outer }
    return body()
  }

  /// Returns whether a binding assigns the value of a property.
  ///
  /// In a chain that does not end, it stops, because properties that are bound to each other, and whose values are
  /// never equal, would set each other for ever. The first refusal prints a message.
  ///
  /// - Parameter site: The source site of the property.
  /// - Returns: `false` in such a chain.
  @usableFromInline
  static func mayBind(_ site: @autoclosure () -> PropertySite) -> Bool {
    let excess = (depth ?? 0) - bindingLength
    if excess < 0 { return true }
    // Chains grow by one, and of two properties that set each other only one may be bound.
    if excess < 2 {
      let site = site()
      printError(
        "EventBus: the binding of the property at \(site.fileID):\(site.line) has stopped, after \(bindingLength) "
          + "changes of which each led to the next. Check whether properties are bound to each other in a circle, "
          + "and whether values that `==` compares can be equal."
      )
    }
    return false
  }
}
