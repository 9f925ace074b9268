#if canImport(Glibc)
@unsafe @preconcurrency private import Glibc  // Reason: `environ` is a variable of the C library; it is only read here.
#elseif canImport(Musl)
@unsafe @preconcurrency private import Musl  // Reason: `environ` is a variable of the C library; it is only read here.
#else
private import Darwin
#endif

/// What the operating system told the process about its surroundings.
internal enum ProcessEnvironment {
  /// The environment variables by name, as they are at this moment.
  ///
  /// An entry without `=` is left out; of two with one name the first counts, as for `getenv`.
  /// The C library has no lock for them: do not read while another thread sets one.
  ///
  /// - Complexity: O(*n*) in the size of the environment.
  internal static var variables: [String: String] {
    #if canImport(Darwin)
    let table = unsafe _NSGetEnviron().pointee  // Reason: set up by the system before `main`.
    #else
    typealias Table = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    let table: Table? = unsafe environ  // Reason: a read of one pointer.
    #endif
    var variables: [String: String] = [:]
    guard var entry = unsafe table else { return variables }  // Reason: null after `clearenv`.
    while let text = unsafe entry.pointee {  // Reason: the table ends with a null pointer.
      let assignment = unsafe String(cString: text)  // Reason: entries are zero-terminated.
      if let equals = assignment.firstIndex(of: "=") {
        let name = String(assignment[..<equals])
        if variables[name] == nil {
          variables[name] = String(assignment[assignment.index(after: equals)...])
        }
      }
      unsafe entry += 1  // Reason: the null pointer has not been met.
    }
    return variables
  }
}
