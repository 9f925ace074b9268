private import EventBus
private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#else
private import Darwin
#endif

/// The way of a signal from the handler, which may do next to nothing, to a thread that may do anything.
///
/// A self-pipe (D. J. Bernstein): the handler writes the number of the signal into a pipe, and a thread
/// reads it. A bit for each signal says that its number is in the pipe and was not read yet; while it
/// is set the handler writes nothing. So signals coalesce, as those of POSIX may, the pipe can never be
/// full, and none is lost; and the numbers keep the order in which the signals came.
///
/// The thread lets the signals through that are listened to, and no others. So a program hears them that
/// was started with all signals blocked, by a parent that had them blocked (`exec` keeps the mask).
///
/// There is one pipe and one thread for the process. Once made they stay: a handler may be running on
/// some thread whenever the last listener goes, and a descriptor that was closed under it could be
/// another file by the time it writes. A program that closes all its descriptors, as daemons do, closes
/// these too: then the thread makes another pipe.
enum SignalPipe {
  /// What a handler that writes into the pipe looks like to the system.
  static let disposition = SignalDisposition(handler: noteSignal)

  /// What the thread has to say.
  enum News: Sendable {
    /// A signal has come.
    case signal(Int32, isInjected: Bool)
    /// The pipe could not be read, for a reason that the system numbers; zero stands for its end. If there is
    /// no other pipe, the thread has ended.
    case broken(Int32, isMended: Bool, isFirst: Bool)
  }

  /// A pipe, and what it looks like to the system.
  private struct Ends {
    var read: Int32
    var write: Int32
    var file: UInt64

    /// Whether a descriptor is still an end of the pipe.
    func isOurs(_ end: Int32) -> Bool { SignalPipe.file(of: end) == file }
  }

  /// Makes the pipe and starts the thread.
  ///
  /// Both ends are closed in programs that this one executes. Between their making and that order to
  /// the system another thread can start a program, which then has two descriptors more and no use for
  /// them: `pipe2`, which leaves no such moment, is not in the C module.
  ///
  /// Called again only after the thread has ended.
  ///
  /// - Parameter receive: Called on the thread, for one signal after the other.
  /// - Returns: Zero, or the number of the error; then nothing has changed.
  static func open(_ receive: @escaping @Sendable (News) -> Void) -> Int32 {
    guard let ends = makePipe() else { return errno }
    writeEnd.store(ends.write, ordering: .sequentiallyConsistent)
    owner.store(getpid(), ordering: .sequentiallyConsistent)
    // A first use of these in the handler could meet the lock under which globals are set up.
    pending.store(0, ordering: .sequentiallyConsistent)
    injected.store(0, ordering: .sequentiallyConsistent)
    maskIsStale.store(false, ordering: .sequentiallyConsistent)
    let code = ServiceThread.start { drain(ends, receive) }
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
      // Not where a program looks for its standard input, output and error, should they be closed.
      let higher = fcntl(ends[index], F_DUPFD, 10)
      if higher >= 0 {
        close(ends[index])
        ends[index] = higher
      }
      _ = fcntl(ends[index], F_SETFD, FD_CLOEXEC)
    }
    // The handler never waits. The thread does nothing else, and saves asking whether there is something
    // to read.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    return Ends(read: ends[0], write: ends[1], file: file(of: ends[0]))
  }

  /// The number of the file that a descriptor leads to; zero if it leads nowhere.
  private static func file(of end: Int32) -> UInt64 {
    var facts = stat()
    return unsafe fstat(end, &facts) == 0 ? UInt64(facts.st_ino) : 0  // Reason: outlives the call.
  }

  /// Lets a signal through to the thread, or blocks it there again.
  ///
  /// The thread does so a little later; until then the system keeps the signal, if no other thread lets it
  /// through.
  static func setHeard(_ number: Int32, _ isHeard: Bool) {
    if isHeard {
      heard.bitwiseOr(bit(of: number), ordering: .sequentiallyConsistent)
    } else {
      heard.bitwiseAnd(~bit(of: number), ordering: .sequentiallyConsistent)
    }
    if maskIsStale.exchange(true, ordering: .sequentiallyConsistent) { return }
    put(maskMark)
  }

  /// Sends a number through the pipe as if a signal had come.
  ///
  /// - Parameter number: From 1 to 64.
  static func inject(_ number: Int32) {
    send(number, mark: injectedMark, bits: injected)
  }

  /// Sends a signal to this process.
  static func resend(_ number: Int32) { kill(getpid(), number) }

  /// Empties the pipe, for as long as there is one.
  private static func drain(_ first: Ends, _ receive: @Sendable (News) -> Void) {
    var ends = first
    var isFirstFailure = true
    var bytes = [UInt8](repeating: 0, count: 128)
    while true {
      // A number that was closed may be another file of the program by now: that is not to be read.
      let isOurs = ends.isOurs(ends.read)
      let count = isOurs ? unsafe read(ends.read, &bytes, bytes.count) : -1  // Reason: room.
      // Closed before the read or during it: either way it was closed.
      let code = isOurs && count < 0 && errno != EBADF ? errno : 0
      if count > 0 {
        for byte in bytes.prefix(count) { take(byte, receive) }
      } else if code != EINTR {
        let new = replace(ends)
        receive(.broken(code, isMended: new != nil, isFirst: isFirstFailure))
        guard let new else { return }
        isFirstFailure = false
        ends = new
        takeLost(receive)
      }
    }
  }

  /// Makes another pipe after the first was closed.
  private static func replace(_ old: Ends) -> Ends? {
    let new = makePipe()
    writeEnd.store(new?.write ?? -1, ordering: .sequentiallyConsistent)
    for end in [old.read, old.write] where old.isOurs(end) { close(end) }
    return new
  }

  /// Takes what was in a pipe that is gone.
  private static func takeLost(_ receive: @Sendable (News) -> Void) {
    take(maskMark, receive)
    let lost = pending.exchange(0, ordering: .sequentiallyConsistent)
    for number in SignalNumber.range where lost & bit(of: number) != 0 {
      receive(.signal(number, isInjected: false))
    }
    let lostToo = injected.exchange(0, ordering: .sequentiallyConsistent)
    for number in SignalNumber.range where lostToo & bit(of: number) != 0 {
      receive(.signal(number, isInjected: true))
    }
  }

  private static func take(_ byte: UInt8, _ receive: @Sendable (News) -> Void) {
    if byte == maskMark {
      maskIsStale.store(false, ordering: .sequentiallyConsistent)
      let wanted = heard.load(ordering: .sequentiallyConsistent)
      return ServiceThread.letThrough { wanted & bit(of: $0) != 0 }
    }
    let isInjected = byte & injectedMark != 0
    let number = Int32(byte & ~injectedMark)
    let mark = bit(of: number)
    // First the bit, then the signal: one that comes now is written once more.
    let old =
      isInjected
      ? injected.bitwiseAnd(~mark, ordering: .sequentiallyConsistent).oldValue
      : pending.bitwiseAnd(~mark, ordering: .sequentiallyConsistent).oldValue
    // Without its bit it was taken already, with what was lost in a pipe that is gone.
    guard old & mark != 0 else { return }
    receive(.signal(number, isInjected: isInjected))
  }
}

/// Marks the number of a signal that did not come from the system.
private let injectedMark: UInt8 = 0x80
/// Stands in the pipe when other signals are to be let through.
private let maskMark: UInt8 = 0
/// Whether it does.
private let maskIsStale = Atomic<Bool>(false)
/// The signals that are listened to; bit 0 is signal 1.
private let heard = Atomic<UInt64>(0)
/// The signals that have come and were not read; bit 0 is signal 1.
private let pending = Atomic<UInt64>(0)
/// The same for those that were injected.
private let injected = Atomic<UInt64>(0)
/// Where the handler writes.
private let writeEnd = Atomic<Int32>(-1)
/// The process that made the pipe.
private let owner = Atomic<Int32>(0)

private func bit(of number: Int32) -> UInt64 { 1 << UInt64(number - 1) }

/// Writes a number unless it is in the pipe.
private func send(_ number: Int32, mark: UInt8, bits: borrowing Atomic<UInt64>) {
  let bit = bit(of: number)
  let old = bits.bitwiseOr(bit, ordering: .sequentiallyConsistent).oldValue
  if old & bit != 0 { return }
  put(UInt8(truncatingIfNeeded: number) | mark)
}

/// Writes a byte; there is room: see `SignalPipe`.
private func put(_ byte: UInt8) {
  var byte = byte
  let end = writeEnd.load(ordering: .sequentiallyConsistent)
  while unsafe write(end, &byte, 1) < 0, errno == EINTR {}  // Reason: one byte.
}

/// The handler of every signal that somebody listens to.
///
/// It does what POSIX.1-2024 (2.4.3, Signal Actions) allows between any two instructions: atomic
/// operations without a lock, and `getpid`, `write`, `sigaction` and `raise`. `errno` is as it was.
private func noteSignal(_ number: Int32) {
  let saved = errno
  if getpid() == owner.load(ordering: .sequentiallyConsistent) {
    send(number, mark: 0, bits: pending)
  } else {
    // A child between `fork` and `exec`: the pipe is its parent's, which is not to hear of this. The
    // child has no thread that could, so the system does what it does by itself.
    SignalDisposition.byDefault.install(for: number)
    raise(number)
  }
  errno = saved
}
