#if os(Linux) || os(macOS)

/// A call to the operating system that failed.
struct SystemError: Error, CustomStringConvertible {
  let description: String

  init(_ what: String, _ code: Int32) { description = "\(what): error \(code)" }
}

/// A file without a name that disappears when it is closed.
final class ScratchFile: Sendable {
  let descriptor: Int32

  init() throws {
    var name = Array("/tmp/event-bus-tests-XXXXXX".utf8CString)
    descriptor = unsafe mkstemp(&name)  // Reason: `name` outlives the call.
    guard descriptor >= 0 else { throw SystemError("cannot make a file in /tmp", errno) }
    _ = unsafe unlink(name)  // Reason: a terminated array.
    // A child gets the copies that it is given and no others.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// Everything in the file.
  func text() throws -> String {
    lseek(descriptor, 0, SEEK_SET)
    return try read(descriptor)
  }
}

/// Returns the text of a file.
public func text(ofPath path: String) throws -> String {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)  // Reason: a terminated string.
  guard descriptor >= 0 else { throw SystemError("cannot open \(path)", errno) }
  defer { close(descriptor) }
  return try read(descriptor)
}

/// Returns the folder of a file.
public func parent(ofPath path: String) -> String {
  path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
}

/// Returns the folder of the programs that were built with these tests.
func folderOfPrograms() throws -> String {
  #if os(macOS)
  // The tests are a bundle, which a program of the toolchain loads: the folder is the bundle's, whose code
  // is in its Contents/MacOS.
  var image = unsafe Dl_info()  // Reason: written below.
  let code = unsafe dladdr(#dsohandle, &image)  // Reason: `image` outlives the call.
  guard code != 0, let name = unsafe image.dli_fname else {  // Reason: the name stays in memory.
    throw SystemError("cannot find the bundle of the tests", errno)
  }
  let path = unsafe String(cString: name)  // Reason: as above.
  return (0..<4).reduce(path) { path, _ in parent(ofPath: path) }
  #else
  var path = [CChar](repeating: 0, count: 4_096)
  let count = unsafe readlink("/proc/self/exe", &path, path.count)  // Reason: `path` outlives it.
  guard count > 0 else { throw SystemError("cannot read /proc/self/exe", errno) }
  return parent(
    ofPath: String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  )
  #endif
}

/// Writes some bytes; a reader that has left is not an error.
func writeBytes(_ bytes: [UInt8], to descriptor: Int32) {
  _ = unsafe write(descriptor, bytes, bytes.count)  // Reason: within the bytes.
}

/// Makes a pipe that other programs inherit only on purpose.
func makePipe() throws -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  guard unsafe pipe(&ends) == 0 else { throw SystemError("no pipe", errno) }  // Reason: room.
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}

private func read(_ descriptor: Int32) throws -> String {
  var all: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4_096)
  while true {
    let count = unsafe read(descriptor, &chunk, chunk.count)  // Reason: `chunk` outlives the call.
    guard count >= 0 else { throw SystemError("cannot read", errno) }
    guard count > 0 else { return String(decoding: all, as: UTF8.self) }
    all += chunk.prefix(count)
  }
}
#endif
