/// The chain of changes that a change is part of: each was made by a handler of the one before, whichever properties
/// the changes are of.
///
/// A change that waits for other reports takes its chain with it. The first report of an ``Observed`` property does not
/// become a part of a chain, because that would cost as much as the report. A chain without end also consists of
/// reports that wait, and of handlers of shared properties, which do.
@usableFromInline
package struct SettingChain: Equatable, Sendable {
  /// The length from which a chain is warned about.
  static var warningLength: Int { 100 }

  /// The number of assignments by bindings from which bindings no longer take part in a chain.
  static var bindingLimit: UInt16 { 10_000 }

  /// The number of changes, with this one, up to what fits; zero outside any chain.
  package private(set) var changes: UInt16 = 0
  /// The number of assignments by bindings that led to the change.
  package private(set) var bindings: UInt16 = 0

  /// Creates a chain.
  package init(changes: UInt16 = 0, bindings: UInt16 = 0) {
    (self.changes, self.bindings) = (changes, bindings)
  }

  /// The chain that a change made in a handler of this one is part of.
  package var next: SettingChain {
    SettingChain(changes: changes == .max ? .max : changes + 1, bindings: bindings)
  }

  /// Returns the chain of two merged changes, with the greater of each number.
  package func merged(with other: SettingChain) -> SettingChain {
    SettingChain(changes: max(changes, other.changes), bindings: max(bindings, other.bindings))
  }

  // MARK: The running thread

  /// The numbers of ``current``, in the halves of a word of 32 bits.
  private static let word = ThreadNumber()

  /// The chain of the change that handlers of this thread are being called for.
  private(set) static var current: SettingChain {
    get {
      let word = word.value
      return SettingChain(
        changes: UInt16(truncatingIfNeeded: word >> 16),
        bindings: UInt16(truncatingIfNeeded: word)
      )
    }
    set { word.value = Int(newValue.changes) << 16 | Int(newValue.bindings) }
  }

  /// Calls handlers for a change that is part of the chain.
  ///
  /// - Parameter body: Calls the handlers.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  // Inlined, because the type of the result would be looked up for each call.
  @inline(__always)
  func calling<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = Self.current
    Self.current = self
    defer { Self.current = outer }
    return try body()
  }

  /// Assigns the value of a property to the target of a binding, unless bindings have made too many changes of the chain.
  ///
  /// Properties that are bound to each other, and whose values are never equal, would set each other forever. A
  /// refusal prints a message, and the binding stops.
  ///
  /// - Parameters:
  ///   - site: The source site of the property.
  ///   - assign: Assigns the value.
  @usableFromInline
  static func bind(_ site: @autoclosure () -> PropertySite, _ assign: () -> Void) {
    var chain = current
    if chain.bindings >= bindingLimit {
      let site = site()
      return printError(
        "EventBus: The binding of the property at \(site.fileID):\(site.line) stopped after a chain of changes of which "
          + "bindings made \(bindingLimit). Check whether properties are bound to each other in a circle, and whether "
          + "values that `==` compares can be equal."
      )
    }
    chain.bindings += 1
    chain.calling(assign)
  }
}

/// The source site of a property or of a call, for messages.
///
/// Unlike ``SourceSite`` it copies no string.
@usableFromInline
typealias PropertySite = (fileID: StaticString, line: UInt)
