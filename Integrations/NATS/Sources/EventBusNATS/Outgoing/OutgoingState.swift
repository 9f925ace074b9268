/// The live events that wait in a lane, and the sequences of the others.
struct OutgoingState {
  var buffer: BoundedBuffer<WaitingEvent>
  /// The sequence of the first event whose payload is not encoded.
  var firstRaw: UInt64 = 1
  var lastSequence: UInt64 = 0
  /// The sequence of the last event that was sent or dropped.
  var doneSequence: UInt64 = 0
  var waiters = Waiters()
  var isAwake = false
  var isClosed = false

  /// Adds an event.
  ///
  /// - Returns: The events that dropped, and whether the queue must be woken.
  mutating func append(
    _ payload: AnyWaitingPayload,
    _ fields: [String: String]
  ) -> (dropped: [WaitingEvent], wakes: Bool) {
    let waiting = WaitingEvent(sequence: lastSequence + 1, payload: payload, fields: fields)
    if isClosed { return ([waiting], false) }
    lastSequence += 1
    let dropped = buffer.append(waiting, size: 0)
    defer { isAwake = true }
    return (dropped, !isAwake)
  }
}
