import Foundation
import LaunchLoader

extension LaunchKeys {
  static let spoolLock = LaunchKey<SpoolLock>("spool lock")
}

/// Keeps other daemons out of the spool, with a lock on a file in it.
///
/// The lock ends with the process. A file that a killed daemon has left does not keep another one out.
actor SpoolLock {
  private var held: (spool: String, file: FileHandle)?

  /// Locks a spool, and releases the one that was locked before.
  func take(_ spool: String) throws {
    if held?.spool == spool { return }
    release()
    let place = Self.place(in: spool)
    // The file may exist. Only its lock says whether a daemon uses the spool.
    try? Data().write(to: place, options: .withoutOverwriting)
    let file = try FileHandle(forUpdating: place)
    var status = stat()
    // Without a link, the daemon that had the lock has just removed the file: a third one may make another.
    guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0,
      unsafe fstat(file.fileDescriptor, &status) == 0,  // Reason: `status` outlives the call.
      status.st_nlink > 0
    else { throw SpoolInUse(description: "another daemon uses the spool \(spool)") }
    held = (spool, file)
  }

  /// Removes the file, and then releases its lock.
  func release() {
    guard let (spool, file) = held else { return }
    held = nil
    try? FileManager.default.removeItem(at: Self.place(in: spool))
    try? file.close()
    log("the spool \(spool) is unlocked")
  }

  private static func place(in spool: String) -> URL {
    URL(filePath: spool).appending(path: ".daemon.lock")
  }
}

/// The reason why a daemon cannot use a spool.
struct SpoolInUse: Error, CustomStringConvertible {
  let description: String
}
