#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// The action that the process takes on a signal: a handler with its mask and flags, as in `sigaction()`
/// (POSIX.1-2024).
struct SignalDisposition: Sendable {
  private let action: sigaction

  private init(_ action: sigaction) { self.action = action }

  /// The default action of the system; for most signals it ends the process.
  static var byDefault: SignalDisposition { SignalDisposition(make(SIG_DFL)) }

  /// Ignores the signal.
  static var toIgnore: SignalDisposition { SignalDisposition(make(SIG_IGN)) }

  /// Creates a disposition that calls a function.
  ///
  /// Interrupted system calls are restarted (`SA_RESTART`), and threads with an alternate signal stack run
  /// the function on it (`SA_ONSTACK`).
  ///
  /// - Parameter handler: An async-signal-safe function.
  init(handler: @escaping @convention(c) (Int32) -> Void) {
    action = Self.make(handler, flags: SA_RESTART | SA_ONSTACK)
  }

  /// Returns the current disposition of a signal, or `nil` for an invalid signal number.
  static func current(of number: Int32) -> SignalDisposition? {
    var action = sigaction()
    let code = unsafe sigaction(number, nil, &action)  // Reason: outlives the call.
    return code == 0 ? SignalDisposition(action) : nil
  }

  /// Installs the disposition for a signal.
  ///
  /// - Returns: `true` if the system accepted it, which it does for every signal whose disposition can
  ///   change.
  @discardableResult
  func install(for number: Int32) -> Bool {
    var action = action
    return unsafe sigaction(number, &action, nil) == 0  // Reason: outlives the call.
  }

  /// True if the disposition ignores the signal.
  var isIgnoring: Bool { handlerWord == Self.toIgnore.handlerWord }

  /// True if the action is that of the system.
  var isDefault: Bool { handlerWord == Self.byDefault.handlerWord }

  /// Returns whether both dispositions call the same handler.
  func hasHandler(of other: SignalDisposition) -> Bool { handlerWord == other.handlerWord }

  /// The address of the handler, or the constant that stands for a system action.
  ///
  /// On arm64e the address is signed without a discriminator, so equal handlers have equal words.
  private var handlerWord: UInt {
    #if canImport(Glibc)
    unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)  // Reason: a number.
    #elseif canImport(Musl)
    unsafe unsafeBitCast(action.__sa_handler.sa_handler, to: UInt.self)  // Reason: a number.
    #else
    unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: UInt.self)  // Reason: a number.
    #endif
  }

  private static func make(
    _ handler: (@convention(c) (Int32) -> Void)?,
    flags: Int32 = 0
  ) -> sigaction {
    var action = sigaction()
    #if canImport(Glibc)
    unsafe action.__sigaction_handler.sa_handler = handler  // Reason: a C function lives on.
    #elseif canImport(Musl)
    unsafe action.__sa_handler.sa_handler = handler  // Reason: a C function lives on.
    #else
    unsafe action.__sigaction_u.__sa_handler = handler  // Reason: a C function lives on.
    #endif
    action.sa_flags = flags
    return action
  }
}
