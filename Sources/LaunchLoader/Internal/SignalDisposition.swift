#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// What the process does when one signal arrives, as `sigaction` takes and returns it (POSIX.1-2024,
/// `sigaction()`): the handler with its mask and its flags.
internal struct SignalDisposition: Sendable {
  private let action: sigaction

  private init(_ action: sigaction) {
    self.action = action
  }

  /// What the system does by itself: mostly the end of the process.
  internal static var byDefault: SignalDisposition { SignalDisposition(make(SIG_DFL)) }

  /// Nothing.
  internal static var toIgnore: SignalDisposition { SignalDisposition(make(SIG_IGN)) }

  /// A call of a function.
  ///
  /// System calls that the signal interrupts begin anew (`SA_RESTART`), and threads that have a stack of
  /// their own for signals run the function there (`SA_ONSTACK`).
  ///
  /// - Parameter handler: Safe to be called between any two instructions.
  internal init(handler: @escaping @convention(c) (Int32) -> Void) {
    action = Self.make(handler, flags: SA_RESTART | SA_ONSTACK)
  }

  /// What the process does now, or `nil` for a number that is none of a signal.
  internal static func current(of number: Int32) -> SignalDisposition? {
    var action = sigaction()
    let code = unsafe sigaction(number, nil, &action)  // Reason: outlives the call.
    return code == 0 ? SignalDisposition(action) : nil
  }

  /// Makes this what the process does.
  ///
  /// - Returns: Whether the system took it; it does so for every signal that has a disposition.
  @discardableResult
  internal func install(for number: Int32) -> Bool {
    var action = action
    return unsafe sigaction(number, &action, nil) == 0  // Reason: outlives the call.
  }

  /// Whether signals are ignored.
  internal var isIgnoring: Bool { handlerWord == Self.toIgnore.handlerWord }

  /// Whether the same function is called.
  internal func hasHandler(of other: SignalDisposition) -> Bool { handlerWord == other.handlerWord }

  /// The address of the handler, or the number that stands for what the system does.
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
