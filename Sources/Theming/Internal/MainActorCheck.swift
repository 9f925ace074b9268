internal import EventBus
internal import Synchronization

/// Traps, with a message, where a program in language mode 5 uses a property off the main actor.
///
/// The check of the language stops such a program, too, but does not say why.
@usableFromInline
internal enum MainActorCheck: Sendable {
  /// The thread that was last found to run the main actor.
  private static let knownThread = Atomic<UInt>(0)

  /// Stops the program off the main actor.
  ///
  /// - Parameter property: The name of the property that is used.
  @usableFromInline
  internal static func require(_ property: @autoclosure () -> String) {
    let thread = ThreadIdentity.current
    if knownThread.load(ordering: .relaxed) != thread {
      guard isOnMainActor else {
        trap(
          "\(property()) was used off the main actor",
          remedy: "Set and read it from code that is isolated to @MainActor"
        )
      }
      knownThread.store(thread, ordering: .relaxed)
    }
    // The main actor may have left the thread since.
    MainActor.preconditionIsolated()
  }

  /// Whether the caller runs on the main actor.
  ///
  /// A task that begins at once does so only there. Older systems leave the answer to the language.
  private static var isOnMainActor: Bool {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return true }
    let hasBegun = Latch()
    _ = Task.immediate { @MainActor in hasBegun.open() }
    return hasBegun.isOpen
  }
}
