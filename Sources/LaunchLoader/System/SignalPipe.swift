private import EventBus
private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// Transfers signals from the handler, which may call only a few functions, to a thread without that limit.
///
/// A self-pipe (D. J. Bernstein): the handler writes the number of the signal into a pipe, and a thread reads
/// it. One bit per signal records that its number is in the pipe and unread; while the bit is set, the
/// handler writes nothing. Signals therefore coalesce, as POSIX allows, the pipe never fills up, no signal is
/// lost, and the numbers keep the order of arrival.
///
/// The thread unblocks exactly the signals that have listeners. A program therefore receives them even if its
/// parent blocked all signals before `exec`, which keeps the mask.
///
/// The process has one pipe and one thread, which are never released: a handler may still run on some
/// thread when the last listener is removed, and the number of a closed descriptor could belong to another
/// file by the time it writes. A program that closes all descriptors, as daemons do, closes these as well;
/// the thread then creates another pipe.
enum SignalPipe {
  /// The disposition whose handler writes into the pipe.
  static let disposition = SignalDisposition(handler: noteSignal)

  /// Called with the number of a signal that has arrived.
  typealias OnSignal = @Sendable (_ number: Int32, _ isInjected: Bool) -> Void

  /// Called when the pipe could not be read.
  ///
  /// The code is an error number of the system, or zero if the pipe was closed. If the pipe is not mended,
  /// the thread has ended.
  typealias OnFailure = @Sendable (_ code: Int32, _ isMended: Bool, _ isFirst: Bool) -> Void

  /// The ends of a pipe, with the inodes that identify them; Apple's systems give each end its own.
  private struct Ends {
    let read: Int32
    let write: Int32
    let readFile: UInt64
    let writeFile: UInt64
  }

  /// Returns whether a disposition is the handler of the pipe.
  ///
  /// Other code may save it while there are listeners and restore it later, as `system(3)` does.
  static func isOurs(_ disposition: SignalDisposition?) -> Bool {
    disposition?.hasHandler(of: Self.disposition) ?? false
  }

  /// Creates the pipe and starts the thread.
  ///
  /// Both ends are marked close-on-exec. A program that another thread starts between their creation and that
  /// mark inherits the two descriptors, which it does not use. The C module lacks `pipe2`, which would close
  /// this gap.
  ///
  /// Must not be called again before the thread has ended.
  ///
  /// - Parameters:
  ///   - onSignal: Called on the thread with one signal after the other.
  ///   - onFailure: Called on the thread with each failure of the pipe.
  /// - Returns: Zero, or an error number; after an error nothing has changed.
  static func open(onSignal: @escaping OnSignal, onFailure: @escaping OnFailure) -> Int32 {
    guard let ends = makePipe() else { return errno }
    writeEnd.store(ends.write, ordering: .sequentiallyConsistent)
    owner.store(getpid(), ordering: .sequentiallyConsistent)
    // Initialize these here: in the handler, a first use could block on the lock that protects the
    // initialization of globals.
    pending.store(0, ordering: .sequentiallyConsistent)
    injected.store(0, ordering: .sequentiallyConsistent)
    maskIsStale.store(false, ordering: .sequentiallyConsistent)
    let code = ServiceProcess.runOnThread { drain(ends, onSignal, onFailure) }
    if code != 0 {
      writeEnd.store(-1, ordering: .sequentiallyConsistent)
      close(ends.read)
      close(ends.write)
    }
    return code
  }

  private static func makePipe() -> Ends? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }  // Reason: room for both.
    for index in ends.indices {
      // Avoid the descriptors 0 to 2, which a program with closed standard streams would mistake for them.
      let higher = fcntl(ends[index], F_DUPFD, 10)
      if higher >= 0 {
        close(ends[index])
        ends[index] = higher
      }
      _ = fcntl(ends[index], F_SETFD, FD_CLOEXEC)
    }
    // The handler never blocks. The thread reads only the pipe, so its end may block.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let (readFile, writeFile) = (file(of: ends[0]), file(of: ends[1]))
    return Ends(read: ends[0], write: ends[1], readFile: readFile, writeFile: writeFile)
  }

  /// The inode that a descriptor refers to, or zero for an invalid descriptor.
  private static func file(of end: Int32) -> UInt64 {
    var facts = stat()
    return unsafe fstat(end, &facts) == 0 ? UInt64(facts.st_ino) : 0  // Reason: outlives the call.
  }

  /// Unblocks a signal on the thread, or blocks it again.
  ///
  /// The thread updates its mask asynchronously. Until then the system keeps the signal pending, unless
  /// another thread has it unblocked.
  static func setHeard(_ number: Int32, _ isHeard: Bool) {
    if isHeard {
      heard.bitwiseOr(bit(of: number), ordering: .sequentiallyConsistent)
    } else {
      heard.bitwiseAnd(~bit(of: number), ordering: .sequentiallyConsistent)
    }
    if maskIsStale.exchange(true, ordering: .sequentiallyConsistent) { return }
    put(maskMark)
  }

  /// Sends a signal number through the pipe as if that signal had arrived.
  ///
  /// - Parameter number: A number from 1 to 64.
  static func inject(_ number: Int32) { send(number, mark: injectedMark, bits: injected) }

  /// Sends a signal to this process.
  static func resend(_ number: Int32) { kill(getpid(), number) }

  /// Reads the pipe until it fails and cannot be replaced.
  private static func drain(_ first: Ends, _ onSignal: OnSignal, _ onFailure: OnFailure) {
    var ends = first
    var isFirstFailure = true
    var bytes = [UInt8](repeating: 0, count: 128)
    while true {
      // A closed descriptor number may belong to another file by now, which must not be read.
      let isOpen = file(of: ends.read) == ends.readFile
      let count = isOpen ? unsafe read(ends.read, &bytes, bytes.count) : -1  // Reason: room.
      // Report a close before the read and one during the read alike.
      let code = isOpen && count < 0 && errno != EBADF ? errno : 0
      if count > 0 {
        for byte in bytes.prefix(count) { take(byte, onSignal) }
      } else if code != EINTR {
        let new = replace(ends)
        onFailure(code, new != nil, isFirstFailure)
        guard let new else { return }
        isFirstFailure = false
        ends = new
        takeLost(onSignal)
      }
    }
  }

  /// Replaces a pipe that can no longer be read.
  private static func replace(_ old: Ends) -> Ends? {
    let new = makePipe()
    writeEnd.store(new?.write ?? -1, ordering: .sequentiallyConsistent)
    for (end, known) in [(old.read, old.readFile), (old.write, old.writeFile)]
    where file(of: end) == known {
      close(end)
    }
    return new
  }

  /// Delivers the signals whose numbers were lost with a pipe.
  private static func takeLost(_ onSignal: OnSignal) {
    updateMask()
    for isInjected in [false, true] {
      let lost =
        isInjected
        ? injected.exchange(0, ordering: .sequentiallyConsistent)
        : pending.exchange(0, ordering: .sequentiallyConsistent)
      for number in UnixSignal.numbers where lost & bit(of: number) != 0 {
        onSignal(number, isInjected)
      }
    }
  }

  private static func take(_ byte: UInt8, _ onSignal: OnSignal) {
    if byte == maskMark { return updateMask() }
    let isInjected = byte & injectedMark != 0
    let number = Int32(byte & ~injectedMark)
    let mark = bit(of: number)
    // Clear the bit before delivering: a signal that arrives meanwhile is written again.
    let old =
      isInjected
      ? injected.bitwiseAnd(~mark, ordering: .sequentiallyConsistent).oldValue
      : pending.bitwiseAnd(~mark, ordering: .sequentiallyConsistent).oldValue
    // A cleared bit means that the signal was already delivered after its pipe was lost.
    if old & mark != 0 { onSignal(number, isInjected) }
  }

  /// Unblocks the signals that have listeners on this thread.
  private static func updateMask() {
    maskIsStale.store(false, ordering: .sequentiallyConsistent)
    let wanted = heard.load(ordering: .sequentiallyConsistent)
    ServiceProcess.unblockSignals { wanted & bit(of: $0) != 0 }
  }
}

/// Marks the number of an injected signal.
private let injectedMark: UInt8 = 0x80
/// The byte that asks the thread to update its signal mask.
private let maskMark: UInt8 = 0
/// True if that byte is in the pipe.
private let maskIsStale = Atomic<Bool>(false)
/// The signals that have listeners; bit 0 is signal 1.
private let heard = Atomic<UInt64>(0)
/// The signals that have arrived and are unread; bit 0 is signal 1.
private let pending = Atomic<UInt64>(0)
/// The injected signals that are unread; bit 0 is signal 1.
private let injected = Atomic<UInt64>(0)
/// The descriptor that the handler writes to.
private let writeEnd = Atomic<Int32>(-1)
/// The process that created the pipe.
private let owner = Atomic<Int32>(0)

private func bit(of number: Int32) -> UInt64 { 1 << UInt64(number - 1) }

/// Writes a signal number, unless it is already in the pipe.
private func send(_ number: Int32, mark: UInt8, bits: borrowing Atomic<UInt64>) {
  let bit = bit(of: number)
  let old = bits.bitwiseOr(bit, ordering: .sequentiallyConsistent).oldValue
  if old & bit != 0 { return }
  put(UInt8(truncatingIfNeeded: number) | mark)
}

/// Writes a byte.
///
/// The pipe always has room; see ``SignalPipe``.
private func put(_ byte: UInt8) {
  var byte = byte
  let end = writeEnd.load(ordering: .sequentiallyConsistent)
  while unsafe write(end, &byte, 1) < 0, errno == EINTR {}  // Reason: one byte.
}

/// The handler of every signal that has a listener.
///
/// It uses only what POSIX.1-2024 allows in a signal handler (2.4.3, Signal Actions): lock-free atomic
/// operations, `getpid`, `write`, `sigaction` and `raise`. It preserves `errno`.
private func noteSignal(_ number: Int32) {
  let saved = errno
  if getpid() == owner.load(ordering: .sequentiallyConsistent) {
    send(number, mark: 0, bits: pending)
  } else {
    // A child between `fork` and `exec`: the pipe belongs to the parent, which must not receive this
    // signal. The child has no reading thread, so apply the default action.
    SignalDisposition.byDefault.install(for: number)
    raise(number)
  }
  errno = saved
}
