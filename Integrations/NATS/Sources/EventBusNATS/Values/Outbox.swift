/// The unacknowledged messages, in their order, and the rule that decides when each is sent.
///
/// A message is sent again when its acknowledgement is late, when it was refused for a temporary reason, or when
/// the connection broke meanwhile. The server stores a repeated message once, by its identifier.
package struct Outbox<Item> {
  /// A message to send now.
  package struct Due {
    /// The serial of the message.
    package let serial: UInt64
    /// The message.
    package let item: Item
    /// Whether it was sent before.
    package let isRepeated: Bool
  }

  fileprivate struct Entry {
    var item: Item
    /// The time at which the message is sent, unless it is acknowledged before; `nil` means at once.
    var due: ContinuousClock.Instant?
    var sendings = 0
    /// The number of sendings with another identifier before.
    var formerSendings = 0
    var refusals = 0
  }

  /// The entries from ``firstSerial`` on; `nil` where one has been acknowledged.
  private var entries: [Entry?] = []
  private var head = 0
  /// The index of the first entry that was never sent.
  private var fresh = 0
  /// The serial of the oldest unacknowledged message, or of the next one.
  package private(set) var firstSerial: UInt64 = 1
  /// The number of unacknowledged messages.
  package private(set) var count = 0
  /// The largest number of sent messages that wait for acknowledgements.
  package let window: Int
  /// The longest wait for an acknowledgement.
  package let timeout: Duration
  /// The number of messages that the server has denied, without identifying them.
  private var denials = 0
  /// The time until which the acknowledgements of messages sent before the denied ones arrive.
  private var denialsAreDue: ContinuousClock.Instant?

  /// Creates an empty outbox.
  package init(window: Int, timeout: Duration) {
    self.window = max(1, window)
    self.timeout = timeout
  }

  /// Adds a message at the end.
  ///
  /// - Returns: Its serial: one more than that of the previous message.
  @discardableResult
  package mutating func append(_ item: Item) -> UInt64 {
    entries.append(Entry(item: item))
    count += 1
    return firstSerial + UInt64(entries.count - head) - 1
  }

  /// The messages to send now, in their order, which count as sent from now on.
  ///
  /// - Complexity: O(*n*) in the window.
  package mutating func takeDue(
    at now: ContinuousClock.Instant,
    most: Int = .max
  ) -> [Due] {
    var taken: [Due] = []
    let end = min(entries.count, head + window)
    for index in head..<max(head, end) where taken.count < most {
      guard var entry = entries[index] else { continue }
      if let due = entry.due, due > now { continue }
      let serial = firstSerial + UInt64(index - head)
      taken.append(Due(serial: serial, item: entry.item, isRepeated: entry.sendings > 0))
      entry.sendings += 1
      // Twice as long each time: a server that is slow must not get more to do.
      entry.due = now + timeout * (1 << min(entry.sendings - 1, 4))
      entries[index] = entry
      fresh = max(fresh, index + 1)
    }
    return taken
  }

  /// Notes that a message that was taken was not sent: it is due at once, and counts as before.
  package mutating func takeBack(_ serial: UInt64) {
    guard let index = index(of: serial), var entry = entries[index] else { return }
    entry.sendings -= 1
    entry.formerSendings = min(entry.formerSendings, entry.sendings)
    entry.due = nil
    entries[index] = entry
  }

  /// Removes a message that the server has stored, or refused for good.
  ///
  /// - Returns: The message, or `nil` if it is not there any more.
  /// - Complexity: Amortized O(1).
  package mutating func remove(_ serial: UInt64) -> Item? {
    guard let index = index(of: serial), let entry = entries[index] else { return nil }
    entries[index] = nil
    count -= 1
    while head < entries.count, entries[head] == nil {
      head += 1
      firstSerial += 1
    }
    if head == entries.count || head >= 1024 {
      fresh = max(0, fresh - head)
      entries.removeFirst(head)
      head = 0
    }
    return entry.item
  }

  /// Changes a message.
  ///
  /// - Returns: Whether it is still there.
  @discardableResult
  mutating func update(_ serial: UInt64, _ body: (inout Item) -> Void) -> Bool {
    guard let index = index(of: serial), var entry = entries[index] else { return false }
    entries[index] = nil
    body(&entry.item)
    entries[index] = entry
    return true
  }

  /// How often a message was sent with its present identifier.
  package func sendings(of serial: UInt64) -> Int {
    guard let index = index(of: serial), let entry = entries[index] else { return 0 }
    return entry.sendings - entry.formerSendings
  }

  /// Changes the identifier of a message.
  package mutating func sendAsNew(_ serial: UInt64, _ body: (inout Item) -> Void) {
    guard update(serial, body), let index = index(of: serial), let entry = entries[index] else {
      return
    }
    entries[index]?.formerSendings = entry.sendings
  }

  /// The messages from a serial on.
  package func items(from serial: UInt64, most: Int) -> [(serial: UInt64, item: Item)] {
    var found: [(serial: UInt64, item: Item)] = []
    var index = head + Int(max(serial, firstSerial) - firstSerial)
    while index < entries.count, found.count < most {
      if let entry = entries[index] {
        found.append((firstSerial + UInt64(index - head), entry.item))
      }
      index += 1
    }
    return found
  }

  /// Notes that a message was refused for a temporary reason.
  ///
  /// - Returns: The number of refusals of this message; `nil` if it is not there any more.
  package mutating func delay(
    _ serial: UInt64,
    at now: ContinuousClock.Instant,
    by pause: (Int) -> Duration
  ) -> Int? {
    guard let index = index(of: serial), var entry = entries[index] else { return nil }
    entry.refusals += 1
    entry.due = now + pause(entry.refusals)
    entries[index] = entry
    return entry.refusals
  }

  /// Notes that the server has denied a message.
  ///
  /// Its error does not identify the message. The acknowledgements of earlier messages are on their way, and are
  /// awaited first.
  package mutating func deny(at now: ContinuousClock.Instant) {
    denials += 1
    if denialsAreDue == nil { denialsAreDue = now + min(.milliseconds(500), timeout / 2) }
  }

  /// The serials of the messages that were denied: the oldest of those that were sent, as many as were denied.
  ///
  /// - Complexity: O(*n*) in the number of messages, if some were denied.
  package mutating func takeDenied(at now: ContinuousClock.Instant) -> [UInt64] {
    guard let due = denialsAreDue, due <= now else { return [] }
    var serials: [UInt64] = []
    for index in head..<max(head, fresh) where serials.count < denials {
      guard let entry = entries[index], entry.sendings > 0 else { continue }
      serials.append(firstSerial + UInt64(index - head))
    }
    (denials, denialsAreDue) = (0, nil)
    return serials
  }

  /// Makes all sent messages due at once, as after a broken connection.
  package mutating func sendAgain() {
    // A message that is sent again is denied again.
    (denials, denialsAreDue) = (0, nil)
    for index in head..<max(head, fresh) { entries[index]?.due = nil }
  }

  /// Removes all messages.
  package mutating func removeAll() -> [Item] {
    let items = entries[head...].compactMap { $0?.item }
    firstSerial += UInt64(entries.count - head)
    (entries, head, fresh, count) = ([], 0, 0, 0)
    (denials, denialsAreDue) = (0, nil)
    return items
  }

  /// The serial of the next message.
  var nextSerial: UInt64 { firstSerial + UInt64(entries.count - head) }

  private func index(of serial: UInt64) -> Int? {
    guard serial >= firstSerial, serial - firstSerial < UInt64(entries.count - head) else {
      return nil
    }
    return head + Int(serial - firstSerial)
  }
}

extension Outbox.Due: Sendable where Item: Sendable {}

extension Outbox.Entry: Sendable where Item: Sendable {}

extension Outbox: Sendable where Item: Sendable {}
