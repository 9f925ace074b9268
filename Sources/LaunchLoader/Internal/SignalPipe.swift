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
/// somebody else's by the time it writes.
internal enum SignalPipe {
  /// What a handler that writes into the pipe looks like to the system.
  internal static let disposition = SignalDisposition(handler: noteSignal)

  /// Makes the pipe and starts the thread.
  ///
  /// Both ends are closed in programs that this one executes. Between their making and that order to
  /// the system another thread can start a program, which then has two descriptors more and no use for
  /// them: `pipe2`, which leaves no such moment, is not in the C module.
  ///
  /// Called once with success.
  ///
  /// - Parameter receive: Called on the thread, for one signal after the other, with the number and
  ///   whether it was injected.
  /// - Returns: Zero, or the number of the error; then nothing has changed.
  internal static func open(_ receive: @escaping @Sendable (Int32, Bool) -> Void) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return errno }  // Reason: room for both.
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    // The handler never waits. The thread does nothing else, and saves asking whether there is something
    // to read.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
    owner.store(getpid(), ordering: .sequentiallyConsistent)
    // A first use of these in the handler could meet the lock under which globals are set up.
    pending.store(0, ordering: .sequentiallyConsistent)
    injected.store(0, ordering: .sequentiallyConsistent)
    let readEnd = ends[0]
    let code = ServiceThread.start { drain(readEnd, receive) }
    if code != 0 {
      writeEnd.store(-1, ordering: .sequentiallyConsistent)
      for end in ends { close(end) }
    }
    return code
  }

  /// Lets a signal through to the thread, or blocks it there again.
  ///
  /// The thread does so a little later; until then the system keeps the signal, if no other thread lets it
  /// through.
  internal static func setHeard(_ number: Int32, _ isHeard: Bool) {
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
  internal static func inject(_ number: Int32) {
    send(number, mark: injectedMark, bits: injected)
  }

  /// Sends a signal to this process.
  internal static func resend(_ number: Int32) { kill(getpid(), number) }

  /// Empties the pipe for ever.
  private static func drain(_ end: Int32, _ receive: @Sendable (Int32, Bool) -> Void) -> Never {
    var bytes = [UInt8](repeating: 0, count: 128)
    while true {
      // An interruption: around again. An end of file there cannot be.
      let count = unsafe read(end, &bytes, bytes.count)  // Reason: room for them.
      for byte in bytes.prefix(max(0, count)) {
        if byte == maskMark {
          maskIsStale.store(false, ordering: .sequentiallyConsistent)
          let wanted = heard.load(ordering: .sequentiallyConsistent)
          ServiceThread.letThrough { wanted & bit(of: $0) != 0 }
          continue
        }
        let isInjected = byte & injectedMark != 0
        let number = Int32(byte & ~injectedMark)
        // First the bit, then the signal: one that comes now is written once more.
        let bits = ~bit(of: number)
        if isInjected {
          injected.bitwiseAnd(bits, ordering: .sequentiallyConsistent)
        } else {
          pending.bitwiseAnd(bits, ordering: .sequentiallyConsistent)
        }
        receive(number, isInjected)
      }
    }
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
