internal import Synchronization

/// The registration of a handler in an observer list.
///
/// ```
/// token ──► registration ──► list ──► block of slots ──► sink ──► registration     (the end breaks the circle)
/// ```
///
/// The registration knows the state, the sink knows the handler. Only the list owns the sink, so the end frees the
/// handler, even while a token, a lifetime or an event that waits still holds the registration.
@usableFromInline
package final class ObserverRegistration: Registration,
  @unchecked Sendable  // Reason: atomics, and state that a lock guards.
{
  /// The list that holds the sink.
  package let list: ObserverList
  /// The address of the sink while it is linked, then twice the stamp of its unlinking, plus one.
  private let link = Atomic<UInt>(0)
  /// The call that registered the handler.
  package let site: CallSite
  private let slotIndex = Atomic<UInt32>(0)
  private let watchedIndex = Atomic<UInt32>(0)

  /// Creates a registration without a sink.
  ///
  /// - Parameters:
  ///   - list: The list that will hold the sink.
  ///   - site: The call that registers the handler.
  package init(_ list: ObserverList, at site: CallSite) {
    (self.list, self.site) = (list, site)
    super.init()
  }

  // MARK: The sink

  /// Notes the sink, once, before it is added to the list.
  func connect(_ sink: AnySink) { link.store(sink.address, ordering: .relaxed) }

  /// The address of the sink, or zero when the registration has ended.
  ///
  /// The lock of the list, or a visit that began before this read, keeps the sink alive.
  package var sinkAddress: UInt {
    let word = link.load(ordering: .sequentiallyConsistent)
    return word & 1 == 0 ? word : 0
  }

  /// Removes the address for good; called once, with the lock of the list held.
  func takeAddress() -> UInt { link.exchange(1, ordering: .sequentiallyConsistent) }

  /// Returns the sink for a call outside a post, or for a report; `nil` when the registration has ended.
  ///
  /// A sink is not retained longer than the call: cancelling the registration then frees the handler at once.
  @inline(never)  // So that it is retained before the visit ends, whatever the caller does with it.
  package func sink<Sink: AnySink>(as type: Sink.Type) -> Sink? {
    guard let visit = list.domain.enter() else { return nil }
    defer { list.domain.leave(visit) }
    return ObjectAddress.object(sinkAddress, as: type)
  }

  // MARK: State that a lock guards

  /// The slot that holds the sink; guarded by the lock of the list.
  var slot: Int {
    get { Int(slotIndex.load(ordering: .relaxed)) }
    set { slotIndex.store(UInt32(newValue), ordering: .relaxed) }
  }

  /// The position in ``WatchedObservers``; guarded by the lock of the list.
  var watchedPosition: Int {
    get { Int(watchedIndex.load(ordering: .relaxed)) }
    set { watchedIndex.store(UInt32(newValue), ordering: .relaxed) }
  }

  // MARK: The end

  /// The reason for not calling the handler of a registration that has ended or is paused.
  package var refusal: Reception {
    if hasUsedCall { return .spent }
    if hasLostOwner { return .ownerLost }
    // One that is active was paused when it was asked for.
    return isActive ? .paused : .cancelled
  }

  /// Ends the registration because its owner, or its only sender, has died.
  func end(withOwner hasLostOwner: Bool) {
    if hasLostOwner { endWithOwner() } else { end() }
  }

  override func didEnd() { link.store(list.unlink(self) << 1 | 1, ordering: .releasing) }

  override func didStop() { list.copyState(of: self) }

  override func didChangePauses() { list.copyState(of: self) }

  override func waitForCalls() async {
    if areCallsCounted { return await waitForCountedCalls() }
    await list.waitUntilFree(link.load(ordering: .acquiring) >> 1)
  }
}

/// The parameters of a registration, other than its owner, its filter and its handler.
///
/// Not generic: the metadata of a generic structure would be looked up at every registration.
package struct ObserveRequest {
  /// The call that registers the observer.
  package let site: CallSite
  /// The only sender whose events are delivered; `nil` for any sender.
  package let sender: AnyObject?
  /// The priority; observers with a higher one are called first.
  package let priority: Int
  /// Whether the registration ends with its first call.
  package let once: Bool

  /// Describes a registration.
  package init(
    _ sender: AnyObject? = nil,
    _ priority: Int = 0,
    once: Bool = false,
    at site: CallSite
  ) {
    (self.site, self.sender, self.priority) = (site, sender, priority)
    self.once = once
  }
}

@available(*, unavailable)
extension ObserveRequest: Sendable {}
