/// The payloads of events that differ in nothing else, filled by posters, then emptied by the reader.
///
/// The length is bounded, so that no poster waits long for the lock while payloads are moved, and memory is
/// freed as the reader advances. In a generic class, the types of an array and of this structure would be looked
/// up at each use: hence an allocation of its own, and members that are always inlined.
@safe
package struct PayloadRun<Payload>: ~Copyable {
  /// Payloads from `head` up to `end`.
  private var base: UnsafeMutablePointer<Payload>
  private var capacity = min(limit, max(1, min(8, 512 / max(1, MemoryLayout<Payload>.stride))))
  private var head = 0
  private var end = 1

  /// The maximum number of payloads; fewer where they are large.
  @inline(__always)
  private static var limit: Int { max(1, min(512, 65_536 / max(1, MemoryLayout<Payload>.stride))) }

  /// Begins a run with one payload.
  @inline(__always)
  package init(_ payload: Payload) {
    unsafe base = .allocate(capacity: capacity)  // Reason: freed in `deinit`.
    unsafe base.initialize(to: payload)  // Reason: within the allocation.
  }

  deinit {
    unsafe (base + head).deinitialize(count: end - head)  // Reason: not yet removed.
    unsafe base.deallocate()  // Reason: from `init` or `append`.
  }

  /// A Boolean value that indicates whether another payload may be added.
  @inline(__always)
  package var hasRoom: Bool { end < Self.limit }

  /// The number of payloads that have not been removed.
  @inline(__always)
  package var count: Int { end - head }

  /// Adds a payload to a run with room, before any has been removed.
  ///
  /// Copying a payload only retains, and so runs no foreign code under the caller's lock. The exception is a
  /// weak reference to an Objective-C object in a structure, whose copy may own the object for a moment.
  ///
  /// - Complexity: Amortized O(1); no more than 512 payloads, or 64 kB, are moved.
  @inline(__always)
  package mutating func append(_ payload: Payload) {
    if end == capacity {
      capacity = min(2 * capacity, Self.limit)
      let larger = UnsafeMutablePointer<Payload>.allocate(capacity: capacity)
      unsafe larger.moveInitialize(from: base, count: end)  // Reason: none was removed yet.
      unsafe base.deallocate()  // Reason: emptied.
      unsafe base = larger  // Reason: as above.
    }
    unsafe (base + end).initialize(to: payload)  // Reason: below the capacity.
    end += 1
  }

  /// Removes and returns the first payload of a run that has one.
  @inline(__always)
  package mutating func removeFirst() -> Payload {
    let payload = unsafe (base + head).move()  // Reason: initialized, and moved once.
    head += 1
    return payload
  }
}
