import EventBus
import TestSupport
import Testing

@Suite("Property rounds")
struct PropertyRoundsTests {
  @Test(
    "Every short sequence of steps delivers what a simple model predicts, at once or in its turn"
  )
  func sequences() {
    var count = 0
    visit(Run(), depth: size(4, full: 5), &count)
    #expect(count > size(2_000, full: 20_000))
  }

  private func visit(_ run: Run, depth: Int, _ count: inout Int) {
    count += 1
    guard depth > 0 else { return }
    for step in Step.allCases where run.allows(step) {
      var next = run
      next.take(step)
      guard next.isRight else {
        Issue.record("after \(next.steps): \(next.property.delivered), not \(next.model.delivered)")
        return
      }
      visit(next, depth: depth - 1, &count)
    }
  }

  @Test("Silent writes beyond the limit lose their records, those of a batch do not")
  func limit() {
    for isInBatch in [false, true] {
      var rounds = PropertyRounds<Int>()
      let number = rounds.takeNumber()
      rounds.add(number, .writes, value: 0, isBehind: false)
      if isInBatch { rounds.joinBatch(old: nil, coversSilentWrites: false) }
      let limit = PropertyRounds<Int>.recordLimit
      for index in 0..<limit {
        let discarded = rounds.note(Record(index, index + 1), isSilent: true)
        #expect(discarded.isEmpty)
      }
      let discarded = rounds.note(Record(limit, limit + 1), isSilent: true)
      #expect(discarded.count == (isInBatch ? 0 : limit))
      rounds._checkInvariants()
      let round = rounds.report(old: nil, new: limit + 1, coversSilentWrites: false)
      #expect(round?.report.records?.count == (isInBatch ? limit + 1 : nil))
    }
  }
}

/// The description of a write that led from one value to another.
private final class Record {
  let old: Int
  let new: Int

  init(_ old: Int, _ new: Int) { (self.old, self.new) = (old, new) }
}

private enum Step: CaseIterable {
  /// An assignment of a new value.
  case assign
  /// A write with a description, in place if no observer needs the old value.
  case describe
  /// An assignment whose observers make the following steps, up to `leave`.
  case enter
  /// The return of the observers that `enter` called.
  case leave
  case writeSilently
  case describeSilently
  /// A manual report from a value that all observers know, here always -1.
  case notify
  case beginBatch
  /// A write of the value with which the batch began.
  case restore
  case endBatch
  /// The first half of the end of a batch. The observers of another property of the batch make the following
  /// steps, up to `reportBatch`.
  case queueBatch
  case reportBatch
  case observeChanges
  case observeElements
  /// The end of the oldest registration.
  case cancel
}

/// A property and its model after the same steps.
private struct Run {
  var property = Property()
  var model = Model()
  var steps: [Step] = []

  var isRight: Bool { property.delivered == model.delivered }

  func allows(_ step: Step) -> Bool {
    switch step {
    case .enter: !model.isEntered && !model.isEnding && model.batch == nil
    case .leave: model.isEntered && !model.isEnding && model.batch == nil
    case .beginBatch: model.batch == nil
    case .restore: model.batch?.start != nil && model.batch?.start != model.value
    case .endBatch: model.batch != nil
    case .queueBatch: model.batch?.hasJoined == true && !model.isEnding
    case .reportBatch: model.batch == nil && model.isEnding
    case .cancel: !model.observers.isEmpty
    default: true
    }
  }

  mutating func take(_ step: Step) {
    steps.append(step)
    property.take(step)
    model.take(step)
  }
}

/// The rounds, used as a property uses them.
private struct Property {
  private var rounds = PropertyRounds<Int>()
  private var value = 0
  private var newest = 0
  private var isInBatch = false
  /// Between `queueBatch` and `reportBatch`: the batch reports the queue.
  private var isLeftToBatch = false
  private var observers: [(number: UInt, isOfElements: Bool)] = []
  private(set) var delivered: [String] = []

  mutating func take(_ step: Step) {
    switch step {
    case .assign: write(nil)
    case .describe: write(Record(value, newest + 1))
    case .enter: assign(staying: true)
    case .leave: drain()
    case .writeSilently, .describeSilently:
      let record = step == .writeSilently ? nil : Record(value, newest + 1)
      newest += 1
      value = newest
      _ = use { $0.note(record, isSilent: true) }
    case .notify: notify()
    case .beginBatch: isInBatch = true
    case .restore:
      guard let start = rounds.batchStart else { return }
      let record = Record(value, start)
      value = start
      _ = use { $0.note(record) }
    case .endBatch:
      if queueBatch() { drain() }
    case .queueBatch: isLeftToBatch = queueBatch()
    case .reportBatch:
      if isLeftToBatch { drain() }
    case .observeChanges: observe(.changes)
    case .observeElements: observe(.writes)
    case .cancel:
      let (number, isOfElements) = observers.removeFirst()
      _ = use { $0.remove(number, isOfElements ? .writes : .changes) }
    }
  }

  /// Uses the rounds, and then checks them.
  @discardableResult
  private mutating func use<Result>(_ body: (inout PropertyRounds<Int>) -> Result) -> Result {
    let result = body(&rounds)
    rounds._checkInvariants()
    return result
  }

  private mutating func write(_ record: Record?) {
    guard isInBatch || record != nil else { return assign(staying: false) }
    let old = record == nil || rounds.flags.contains(.changes) ? value : nil
    newest += 1
    value = newest
    if isInBatch, !hasJoined { use { $0.joinBatch(old: old, coversSilentWrites: false) } }
    _ = use { $0.note(record) }
    guard !isInBatch else { return }
    let round = use { [value] in $0.report(old: old, new: value, coversSilentWrites: false) }
    guard let round else { return }
    deliver(round)
    drain()
  }

  private mutating func assign(staying: Bool) {
    let old = value
    newest += 1
    value = newest
    if rounds.flags.isDisjoint(with: .involved), use({ $0.begin() }) {
      // The fast path, without a round.
      for observer in observers { delivered.append("\(observer.number): \(old)→\(value)") }
      delivered.append("computed")
    } else {
      _ = use { $0.note(nil) }
      let round = use { [value] in $0.report(old: old, new: value, coversSilentWrites: false) }
      guard let round else { return }
      deliver(round)
    }
    if !staying { drain() }
  }

  private mutating func notify() {
    if isInBatch {
      if !hasJoined { use { $0.joinBatch(old: -1, coversSilentWrites: true) } }
      return
    }
    let round = use { [value] in $0.report(old: -1, new: value, coversSilentWrites: true) }
    guard let round else { return }
    deliver(round)
    drain()
  }

  private var hasJoined: Bool { rounds.flags.contains(.batch) }

  /// Returns `true` if the batch reports the queue.
  private mutating func queueBatch() -> Bool {
    isInBatch = false
    guard hasJoined else { return false }
    let old = use { $0.leaveBatch() }
    return use { [value] in $0.queueBatch(old: old, new: value, isNetZero: old == value) }
  }

  private mutating func observe(_ roles: PropertyFlags) {
    let number = use { $0.takeNumber() }
    observers.append((number, roles == .writes))
    use { [value] in $0.add(number, roles, value: value, isBehind: false) }
  }

  private mutating func drain() {
    while let round = use({ $0.next() }) { deliver(round) }
    use { $0.end() }
  }

  private mutating func deliver(_ round: PropertyRounds<Int>.Round) {
    for (number, isOfElements) in observers where number < round.order {
      let (known, report) = (use { $0.takeBaseline(of: number) }, round.report)
      if known.map({ $0 == report.new }) ?? round.isNetZero { continue }
      if isOfElements {
        if let known {
          delivered.append("\(number): \(known)→\(report.new) [unknown]")
          continue
        }
        let records = report.records?.compactMap { ($0 as? Record).map { "\($0.old)→\($0.new)" } }
        let old = report.old.map { "\($0)" } ?? "?"
        let writes = records?.joined(separator: " ") ?? "unknown"
        delivered.append("\(number): \(old)→\(report.new) [\(writes)]")
      } else if let old = known ?? round.change?.old {
        delivered.append("\(number): \(old)→\(report.new)")
      }
    }
    if round.settlesDependents { delivered.append("computed") }
  }
}

/// The same in the plainest way: a report decides at once, for each observer, what that will receive.
private struct Model {
  struct Observer {
    let number: Int
    let isOfElements: Bool
    /// The value at the registration, if a report of it to the others is pending.
    var baseline: Int?
  }

  private(set) var value = 0
  private(set) var batch: (start: Int?, hasJoined: Bool)?
  private(set) var isEntered = false
  /// Between `queueBatch` and `reportBatch`.
  private(set) var isEnding = false
  /// That batch has to report what waits.
  private var isLeftToBatch = false
  private(set) var observers: [Observer] = []
  private(set) var delivered: [String] = []
  private var newest = 0
  private var count = 0
  private var isSilent = false
  /// The described writes since the last report to observers of elements; `nil` if one was not described.
  private var records: [String]? = []
  /// The deliveries that wait for `leave`.
  private var waiting: [(number: Int, text: String)] = []

  mutating func take(_ step: Step) {
    switch step {
    case .assign: write(isDescribed: false)
    case .describe: write(isDescribed: true)
    case .enter:
      let isNested = isEntered
      write(isDescribed: false)
      isEntered = !isNested
    case .leave:
      isEntered = false
      flush()
    case .writeSilently, .describeSilently:
      if batch?.hasJoined != true { isSilent = true }
      _ = store(newest + 1, isDescribed: step == .describeSilently)
    case .notify:
      if batch?.hasJoined == true { return }
      isSilent = false
      if batch != nil { batch = (-1, true) } else { report(from: -1, isNetZero: false) }
    case .beginBatch: batch = (nil, false)
    case .restore:
      if let start = batch?.start { _ = store(start, isDescribed: true) }
    case .endBatch:
      if queueBatch() { reportBatch() }
    case .queueBatch:
      isLeftToBatch = queueBatch()
      isEnding = true
    case .reportBatch:
      isEnding = false
      if isLeftToBatch { reportBatch() }
    case .observeChanges, .observeElements:
      let isOfElements = step == .observeElements
      let isBehind = batch?.hasJoined == true || isOfElements && isSilent
      let baseline = isBehind ? value : nil
      observers.append(Observer(number: count, isOfElements: isOfElements, baseline: baseline))
      count += 1
    case .cancel:
      let number = observers.removeFirst().number
      waiting.removeAll { $0.number == number }
      forgetRecords()
    }
  }

  private var hasElementsObservers: Bool { observers.contains { $0.isOfElements } }

  private mutating func forgetRecords() {
    if !hasElementsObservers { records = [] }
  }

  /// Stores a value and returns the old one.
  private mutating func store(_ new: Int, isDescribed: Bool) -> Int {
    let old = value
    value = new
    newest = max(newest, new)
    if !isDescribed { records = nil } else { records?.append("\(old)→\(new)") }
    forgetRecords()
    return old
  }

  private mutating func write(isDescribed: Bool) {
    let isOldKept = !isDescribed || observers.contains { !$0.isOfElements }
    let old = store(newest + 1, isDescribed: isDescribed)
    guard batch != nil else { return report(from: isOldKept ? old : nil, isNetZero: false) }
    if batch?.hasJoined == false { batch = (isOldKept ? old : nil, true) }
  }

  /// Returns `true` if the batch reports what waits.
  private mutating func queueBatch() -> Bool {
    guard let ended = batch.take(), ended.hasJoined else { return false }
    let isReporting = isEntered || isLeftToBatch
    let (start, isNetZero) = (ended.start, ended.start == value)
    wait(from: start, isNetZero: isNetZero, settles: isReporting)
    return !isReporting
  }

  private mutating func reportBatch() {
    isLeftToBatch = false
    flush()
  }

  private mutating func report(from old: Int?, isNetZero: Bool) {
    wait(from: old, isNetZero: isNetZero, settles: true)
    if !isEntered, !isLeftToBatch { flush() }
  }

  /// Adds what each observer receives to the deliveries that wait.
  private mutating func wait(from old: Int?, isNetZero: Bool, settles: Bool) {
    for (index, observer) in observers.enumerated() {
      let baseline = observers[index].baseline.take()
      if baseline == value || baseline == nil && isNetZero { continue }
      var text = "\(observer.number): "
      if observer.isOfElements {
        let known = baseline ?? (isSilent ? nil : old)
        let described = baseline == nil && records?.isEmpty == false ? records : nil
        let writes = described?.joined(separator: " ") ?? "unknown"
        text += "\(known.map { "\($0)" } ?? "?")→\(value) [\(writes)]"
      } else {
        guard let old = baseline ?? old else { continue }
        text += "\(old)→\(value)"
      }
      waiting.append((observer.number, text))
    }
    if settles { waiting.append((-1, "computed")) }
    // A batch without a net change does not report the silent writes before it.
    records = isNetZero && isSilent ? nil : []
    forgetRecords()
    if !isNetZero { isSilent = false }
  }

  private mutating func flush() {
    delivered += waiting.map(\.text)
    waiting = []
  }
}
