#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// The copies of a library that one process holds, as when a program and a framework of it each contain the
/// static product.
enum LibraryCopies {
  /// A function that each copy exports under one name: it returns the address of the object that a process
  /// should have once.
  typealias Address = @convention(c) () -> UnsafeRawPointer

  /// Returns whether another copy has an object of its own.
  ///
  /// Looks at the first image of the process that exports the name, and at the first one after this image.
  /// Finds no library that was loaded for itself only (`RTLD_LOCAL` on Linux).
  ///
  /// - Parameters:
  ///   - name: The name of the function.
  ///   - own: The address that the function of this image returns.
  /// - Returns: `true` if a function of that name returns another address.
  static func hasAnother(_ name: String, than own: UnsafeRawPointer) -> Bool {
    #if canImport(Darwin)
    let first = -2  // `RTLD_DEFAULT` of <dlfcn.h>
    #else
    let first = 0
    #endif
    let next = -1  // `RTLD_NEXT`
    for place in [first, next] {
      let handle = unsafe UnsafeMutableRawPointer(bitPattern: place)  // Reason: a constant.
      let symbol = unsafe dlsym(handle, name)  // Reason: a terminated string.
      guard let symbol = unsafe symbol else { continue }  // Reason: the address of a function.
      let address = unsafe unsafeBitCast(symbol, to: Address.self)  // Reason: its type.
      if unsafe address() != own { return true }  // Reason: only compared.
    }
    return false
  }
}
