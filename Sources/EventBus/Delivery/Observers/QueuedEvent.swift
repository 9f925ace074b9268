/// An event that waits for its handler: for the end of the call before, or for the end of a replay.
///
/// It does not retain the handler: cancelling the registration frees that at once. Do not release an event under a lock:
/// the payload is the user's, and ``QueuedDelivery`` reports an event that is discarded.
package struct QueuedEvent<Payload: Sendable>: Sendable {
  /// The payload.
  package let payload: Payload
  /// Everything else that is known about the event.
  package let origin: EventOrigin
}

/// Everything that is known about a waiting event except its payload, and except what was valid only while its post
/// was running.
package struct EventOrigin: Sendable {
  /// The call that posted the event.
  package let site: CallSite
  /// The turns that have led to the event.
  package let chain: EventChain
  /// What reports on the event; `nil` if neither hooks nor a waiting caller follow it.
  package let delivery: QueuedDelivery?
  private let sender: ObjectIdentifier?
  private let number: UInt

  /// Describes an event that is about to wait.
  ///
  /// - Parameters:
  ///   - post: The post of the event.
  ///   - delivery: What reports on the event.
  ///   - chain: The turns that have led to the event.
  package init(_ post: Post, _ delivery: QueuedDelivery? = nil, _ chain: EventChain = .none) {
    (site, sender, number) = (post.site, post.sender, post.number)
    (self.delivery, self.chain) = (delivery, chain)
  }

  /// Returns whether another event has all this in common, and nothing reports on either.
  func isSame(as other: EventOrigin) -> Bool {
    delivery == nil && other.delivery == nil && site.isSame(as: other.site) && chain == other.chain
      && sender == other.sender && number == other.number
  }

  /// The origin as a post.
  ///
  /// The caller keeps this value alive, which keeps alive what the post refers to.
  package var post: Post {
    Post(at: site, senderID: sender, record: delivery?.record, number: number)
  }
}

/// Events that wait, first in, first out, as values: a burst costs no object for each event, which one thread would
/// allocate and another free.
///
/// Not thread-safe. Do not release it under a lock.
package struct QueuedEvents<Payload: Sendable>: ~Copyable {
  private var origins = EventOrigins()
  private var payloads = PayloadQueue<Payload>()

  /// Creates a queue without events.
  @inline(__always)
  package init() {}

  /// The number of events.
  @inline(__always)
  package var count: Int { payloads.count }

  /// The origin of the first event.
  @inline(__always)
  package var nextOrigin: EventOrigin? { origins.next }

  /// Adds an event at the end.
  ///
  /// - Complexity: Amortized O(1).
  @inline(__always)
  package mutating func append(_ payload: Payload, _ origin: EventOrigin) {
    payloads.append(payload)
    origins.append(origin)
  }

  /// Removes the origin of the first event, whose payload the caller removes next; `nil` if no event waits.
  @inline(__always)
  package mutating func popOrigin() -> EventOrigin? { origins.popFirst() }

  /// Removes the payload of the event whose origin was removed.
  @inline(__always)
  package mutating func popPayload() -> Payload { payloads.removeFirst() }
}

/// The origins of events that wait, first in, first out; events that differ in nothing but the payload share one.
///
/// Not part of ``QueuedEvents``, since everything in a generic type is generic.
private struct EventOrigins {
  private struct Run {
    let origin: EventOrigin
    var count = 1
  }

  private var runs = BoundedQueue<Run>()
  /// The rest of the first run.
  private var first: Run?

  var next: EventOrigin? { first?.origin ?? runs.first?.origin }

  mutating func append(_ origin: EventOrigin) {
    let hasJoined = runs.changeLast { last in
      guard last.origin.isSame(as: origin) else { return false }
      last.count += 1
      return true
    }
    if hasJoined != true { _ = runs.append(Run(origin: origin)) }
  }

  mutating func popFirst() -> EventOrigin? {
    guard var run = first.take() ?? runs.popFirst() else { return nil }
    run.count -= 1
    // An origin is not kept longer than its events.
    if run.count > 0 { first = run }
    return run.origin
  }
}

/// Payloads, first in, first out.
///
/// In generic code that is not specialized, the types of an array of payloads would be looked up at each use: hence a
/// separate allocation, and members that are always inlined.
@safe
private struct PayloadQueue<Payload>: ~Copyable {
  /// Payloads from `head` up to `end`.
  private var base: UnsafeMutablePointer<Payload>?
  private var capacity = 0
  private var head = 0
  private var end = 0

  @inline(__always)
  init() {}

  /// The number of payloads.
  @inline(__always)
  var count: Int { end - head }

  deinit {
    guard let base = unsafe base else { return }  // Reason: from `append`.
    unsafe (base + head).deinitialize(count: end - head)  // Reason: not yet removed.
    unsafe base.deallocate()  // Reason: from `append`.
  }

  /// Adds a payload at the end.
  ///
  /// Copying a payload only retains, and so runs no foreign code under the caller's lock. The exception is a weak
  /// reference to an Objective-C object in a structure, whose copy may own the object for a moment.
  @inline(__always)
  mutating func append(_ payload: Payload) {
    if end == capacity {
      capacity = max(8, 2 * (end - head))
      let larger = UnsafeMutablePointer<Payload>.allocate(capacity: capacity)
      if let base = unsafe base {  // Reason: from the last time.
        unsafe larger.moveInitialize(from: base + head, count: end - head)  // Reason: not removed.
        unsafe base.deallocate()  // Reason: emptied.
      }
      unsafe base = larger  // Reason: as above.
      (head, end) = (0, end - head)
    }
    unsafe base.unsafelyUnwrapped.advanced(by: end).initialize(to: payload)  // Reason: has room.
    end += 1
  }

  /// Removes and returns the first payload, which there must be.
  @inline(__always)
  mutating func removeFirst() -> Payload {
    assert(head < end, "no payload waits")
    // Reason: initialized, and moved once.
    let payload = unsafe base.unsafelyUnwrapped.advanced(by: head).move()  // Reason: see above.
    head += 1
    if head == end { reset() }
    return payload
  }

  /// Starts again at the front, and frees a large allocation.
  @inline(__always)
  private mutating func reset() {
    (head, end) = (0, 0)
    if capacity <= 64 { return }
    unsafe base?.deallocate()  // Reason: emptied.
    unsafe base = nil  // Reason: as above.
    capacity = 0
  }
}
