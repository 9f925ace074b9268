#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// Which thread of the operating system something runs on.
package struct ThreadIdentity: Hashable, Sendable {
  private let bits: UInt

  /// The thread that asks.
  package static var current: ThreadIdentity {
    #if canImport(Glibc)
    ThreadIdentity(bits: UInt(pthread_self()))
    #else
    unsafe ThreadIdentity(bits: UInt(bitPattern: pthread_self()))  // Reason: only a number.
    #endif
  }
}
