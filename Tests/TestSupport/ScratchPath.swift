#if os(Linux) || os(macOS)

/// A file or a folder with a name, which is removed with its contents at the end of its life.
public final class ScratchPath: Sendable {
  /// Where it is.
  public let path: String
  private let isFolder: Bool

  /// Makes an empty one.
  public init(isFolder: Bool = false) throws {
    self.isFolder = isFolder
    var name = Array("/tmp/event-bus-tests-XXXXXX".utf8CString)
    if isFolder {
      let made = unsafe mkdtemp(&name)  // Reason: `name` outlives the call.
      let isMade = unsafe made != nil  // Reason: only looked at.
      guard isMade else { throw SystemError("no folder in /tmp", errno) }
    } else {
      let descriptor = unsafe mkstemp(&name)  // Reason: `name` outlives the call.
      guard descriptor >= 0 else { throw SystemError("no file in /tmp", errno) }
      close(descriptor)
    }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in isFolder ? names : [] {
      _ = unsafe unlink(path + "/" + name)  // Reason: a terminated string.
    }
    _ = unsafe isFolder ? rmdir(path) : unlink(path)  // Reason: a terminated string.
  }

  /// Writes a file in the folder.
  ///
  /// - Returns: Its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    let file = path + "/" + name
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let descriptor = unsafe open(file, flags, 0o600)  // Reason: a terminated string.
    guard descriptor >= 0 else { throw SystemError("cannot write \(file)", errno) }
    defer { close(descriptor) }
    writeBytes(Array(text.utf8), to: descriptor)
    return file
  }

  private var names: [String] {
    guard let folder = unsafe opendir(path) else { return [] }  // Reason: closed below.
    defer { unsafe closedir(folder) }  // Reason: opened above.
    var names: [String] = []
    while let entry = unsafe readdir(folder) {  // Reason: valid until the next call.
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in  // Reason: as above.
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)  // Reason: as above.
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
#endif
