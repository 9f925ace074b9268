#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// A thread of the operating system, for blocking system calls.
enum BackgroundThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread.
  ///
  /// - Parameter body: The closure to run.
  /// - Returns: `false` if the system cannot create a thread.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let argument = unsafe Unmanaged.passRetained(Body(body)).toOpaque()  // Reason: taken below.
    var thread = pthread_t(bitPattern: 0)
    let code = unsafe pthread_create(&thread, nil, run, argument)  // Reason: all outlive the call.
    if code != 0 {
      unsafe Unmanaged<Body>.fromOpaque(argument).release()  // Reason: no thread took it.
      return false
    }
    #if canImport(Darwin)
    if let thread = unsafe thread { unsafe pthread_detach(thread) }  // Reason: never joined.
    #else
    pthread_detach(thread)
    #endif
    return true
  }

  #if canImport(Darwin)
  private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
    unsafe Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run()  // Reason: begun above.
    return nil
  }
  #else
  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    guard let argument = unsafe $0 else { return nil }  // Reason: only looked at.
    unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()  // Reason: begun above.
    return nil
  }
  #endif
}
