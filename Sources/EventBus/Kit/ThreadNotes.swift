#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif
internal import Synchronization

/// What is remembered of a thread while it delivers events: whose turn it takes, and how deeply its posts nest.
///
/// The notes are allocated when a thread first takes a turn of a queue, or posts deep inside posts, and freed when it
/// ends. Only the thread itself uses them.
@safe
package struct ThreadNotes {
  private struct Notes {
    var chain = EventChain.none
    var depth = 0
    var hasReported = false
    /// The address below which the posts and the code between them use three quarters of a stack; zero if unknown.
    var nearEnd: UInt = 0
  }

  /// The number of nested posts above which they are reported.
  private static let deepest = 1_000
  /// The number of nested posts above which they are reported if little of the stack is left.
  private static let deepestOnSmallStack = 16

  /// The key of the notes; `nil` if the process has used up its keys, so that nothing is remembered.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    let code = unsafe pthread_key_create(&key) { notes in  // Reason: gets what `current` allocated.
      let notes = unsafe (notes as UnsafeMutableRawPointer?)  // Reason: optional on some systems.
      unsafe notes?.deallocate()  // Reason: allocated in `current`.
    }
    return code == 0 ? key : nil
  }()

  private let notes: UnsafeMutablePointer<Notes>

  /// The notes of the calling thread.
  package static var current: ThreadNotes? {
    guard let key else { return nil }
    if let known { return known }
    let notes = UnsafeMutablePointer<Notes>.allocate(capacity: 1)
    unsafe notes.initialize(to: Notes())  // Reason: fresh.
    unsafe pthread_setspecific(key, notes)  // Reason: freed by the key's destructor.
    return unsafe ThreadNotes(notes: notes)  // Reason: as above.
  }

  private static var known: ThreadNotes? {
    guard let key else { return nil }
    let value = unsafe pthread_getspecific(key)  // Reason: set in `current`.
    guard let value = unsafe value else { return nil }  // Reason: as above.
    let notes = unsafe value.assumingMemoryBound(to: Notes.self)  // Reason: as above.
    return unsafe ThreadNotes(notes: notes)  // Reason: as above.
  }

  private var value: Notes {
    get { unsafe notes.pointee }  // Reason: used by this thread only.
    nonmutating set { unsafe notes.pointee = newValue }  // Reason: as above.
  }

  /// The chain of the events that the calling thread causes in the turn of a queue.
  package static var chain: EventChain { known?.chain ?? .none }

  /// The chain of the events that the thread causes.
  package var chain: EventChain {
    get { value.chain }
    nonmutating set { value.chain = newValue }
  }

  // MARK: Nested posts

  /// Begins a post that is nested deeply.
  ///
  /// - Returns: The number of such posts, if it is to be reported, otherwise zero.
  package func beginPost() -> Int {
    var value = value
    value.depth += 1
    let address = stackAddress()
    if value.depth == 1 {
      let room = stackSize() / 4 * 3
      value.nearEnd = address > room && room > 0 ? address - room : 0
    }
    self.value = value
    if value.hasReported { return 0 }
    let isLow = value.depth > Self.deepestOnSmallStack && address < value.nearEnd
    return value.depth > Self.deepest || isLow ? value.depth : 0
  }

  /// Remembers that the nested posts have been reported, until all of them have returned.
  package func notePostsReported() { value.hasReported = true }

  /// Ends a post that is nested deeply.
  package func endPost() {
    value.depth -= 1
    if value.depth == 0 { value.hasReported = false }
  }
}

/// Returns an address in the frame of the caller.
@inlinable
@inline(__always)
package func stackAddress() -> UInt {
  var probe: UInt8 = 0
  return unsafe withUnsafePointer(to: &probe) { UInt(bitPattern: $0) }  // Reason: a number.
}

#if !canImport(Darwin)
/// Initializes attributes with those of a running thread; glibc and musl have it, and hide it from strict programs.
@_silgen_name("pthread_getattr_np")
private func getAttributes(_ thread: pthread_t, _ result: UnsafeMutablePointer<pthread_attr_t>)
  -> CInt
#endif

/// The size of the calling thread's stack; zero if unknown.
private func stackSize() -> UInt {
  #if canImport(Darwin)
  unsafe UInt(pthread_get_stacksize_np(pthread_self()))  // Reason: the calling thread.
  #else
  var attributes = pthread_attr_t()
  guard unsafe getAttributes(pthread_self(), &attributes) == 0 else { return 0 }  // Reason: below.
  defer { unsafe pthread_attr_destroy(&attributes) }  // Reason: initialized above.
  var size = 0
  let code = unsafe pthread_attr_getstacksize(&attributes, &size)  // Reason: initialized above.
  return code == 0 ? UInt(size) : 0
  #endif
}

/// How many turns of queues have led to an event, one after another: a handler that a queue calls causes the next event.
///
/// The word holds the number of turns and, for long chains, a number of the chain, which all events have in common that
/// follow from one event halfway.
package struct EventChain: Equatable, Sendable {
  /// The number of turns after which a chain is reported.
  package static let limit: UInt32 = 100_000
  private static let halfway: UInt32 = 1 << 16
  private static let turnBits: UInt32 = 17
  private static let newest = Atomic<UInt32>(0)
  /// The numbers of the chains that have been reported.
  private static let reported = Locked(Set<UInt32>())

  private var word: UInt32

  /// The chain of an event that no queue has caused.
  package static let none = EventChain(word: 0)

  private init(word: UInt32) { self.word = word }

  /// The number of turns, which no longer grows beyond the limit.
  package var turns: UInt32 { word & ((1 << Self.turnBits) - 1) }

  /// The chain of the events that a handler of this event causes.
  package var next: EventChain {
    switch turns {
    case Self.limit...: EventChain(word: word + (turns == Self.limit ? 1 : 0))
    case Self.halfway - 1: EventChain(word: Self.newNumber() << Self.turnBits | Self.halfway)
    default: EventChain(word: word + 1)
    }
  }

  /// Returns whether this event is the first of its chain that has reached the limit.
  package var isFirstTooLong: Bool {
    guard turns == Self.limit else { return false }
    let number = word >> Self.turnBits
    return Self.reported.withLock { $0.insert(number).inserted }
  }

  /// Returns a number of 15 bits for a chain.
  private static func newNumber() -> UInt32 {
    let mask: UInt32 = 1 << (UInt32.bitWidth - Int(turnBits)) - 1
    let number = newest.wrappingAdd(1, ordering: .relaxed).newValue & mask
    // An earlier chain may have had the number.
    reported.withLock { _ = $0.remove(number) }
    return number
  }
}
