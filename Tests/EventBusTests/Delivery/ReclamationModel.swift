import EventBus

/// The reclamation as a machine that is driven one atomic access at a time.
///
/// The rules are the library's own (``ReclamationDomain``, ``RetiredItems``); the machine adds what the shell does around
/// them, in the same order. Every agent is somewhere in its program; ``step(_:)`` takes one of them one
/// access further. All states that any interleaving can reach are visited by ``ReclamationSearch``.
struct ReclamationModel: Hashable {
  /// A mistake to be planted, to see that the search finds it.
  enum Fault: CaseIterable {
    /// A reader does not look at the epoch again after it announced itself.
    case noSecondLook
    /// The stamp is read before the item is unlinked.
    case stampTooEarly
    /// What was stamped with an epoch is freed at the next one.
    case freedOneEpochEarly
    /// The epoch moves on although readers of the one before are inside.
    case advanceUnchecked
    /// The flag is raised only after the writer has looked for readers.
    case flagTooLate
    /// A writer frees at once although a reader is inside.
    case readersOverlooked
    /// A reader looks at the flag before it leaves.
    case lookBeforeLeaving
  }

  /// Where an agent is in its program.
  enum Place: Hashable {
    // The reader.
    case start, announce, lookAgain, load, use, leave, checkFlag
    // The writer.
    case unlink, lookAtRow, lock, readStamp, file, raise
    // Both steps: free all freeable storage, with the lock held.
    case lockToSweep, checkRow, advance, take, lower, unlock
    case done
  }

  struct Agent: Hashable {
    var place: Place
    var epoch: UInt = 0
    var held: Int?
    var stamp: UInt = 0
    var advances = 0
    var item = 0
    var sawFlag = false
  }

  /// The library's own value, compared by its content.
  private struct Retired: Hashable {
    var items = RetiredItems<Int>()

    static func == (left: Self, right: Self) -> Bool {
      left.items.entries.elementsEqual(right.items.entries, by: ==)
    }

    func hash(into hasher: inout Hasher) {
      for (stamp, item) in items.entries {
        hasher.combine(stamp)
        hasher.combine(item)
      }
    }
  }

  private(set) var agents: [Agent]
  private var epoch: UInt = 4
  private var rows: [Int] = [0, 0, 0, 0]
  private var flag = false
  private var retired = Retired()
  private var lockedBy: Int?
  /// Item 1 is linked, then item 2, then no item: the reader finds the linked one.
  private var linked: Int? = 1
  private var freed: Set<Int> = []

  /// Readers, and writers that unlink one item each.
  init(readers: Int, writers: Int) {
    agents =
      Array(repeating: Agent(place: .start), count: readers)
      + (1...writers).map { Agent(place: .unlink, item: $0) }
  }

  /// A Boolean value that indicates whether a reader holds a freed item.
  var isBroken: Bool { agents.contains { $0.held.map(freed.contains) ?? false } }

  /// A Boolean value that indicates whether all agents have finished.
  var isOver: Bool { agents.allSatisfy { $0.place == .done } }

  /// A Boolean value that indicates whether retired items remain although all agents have finished.
  var hasLostSweep: Bool { isOver && !retired.items.isEmpty }

  /// Returns whether an agent can make its next access now.
  func canStep(_ index: Int) -> Bool {
    let agent = agents[index]
    switch agent.place {
    case .done: return false
    case .lock, .lockToSweep: return lockedBy == nil
    // The second writer's item is linked when the first one's has been unlinked.
    case .unlink: return linked == agent.item
    default: return true
    }
  }

  /// Takes an agent one access further.
  mutating func step(_ index: Int, fault: Fault?) {
    var agent = agents[index]
    switch agent.place {
    case .start:
      agent.epoch = epoch
      agent.place = .announce
    case .announce:
      rows[ReclamationDomain.row(of: agent.epoch)] += 1
      agent.place = fault == .noSecondLook ? .load : .lookAgain
    case .lookAgain:
      if epoch == agent.epoch {
        agent.place = .load
      } else {
        rows[ReclamationDomain.row(of: agent.epoch)] -= 1
        agent.place = .start
      }
    case .load:
      agent.held = linked
      agent.place = .use
    case .use:
      agent.place = .leave
      if fault == .lookBeforeLeaving { agent.sawFlag = flag }
    case .leave:
      agent.held = nil
      rows[ReclamationDomain.row(of: agent.epoch)] -= 1
      agent.place = .checkFlag
    case .checkFlag:
      let sees = fault == .lookBeforeLeaving ? agent.sawFlag : flag
      agent.place = sees ? .lockToSweep : .done
    default:
      write(&agent, index, fault)
    }
    agents[index] = agent
  }

  private mutating func write(_ agent: inout Agent, _ index: Int, _ fault: Fault?) {
    switch agent.place {
    case .unlink:
      if fault == .stampTooEarly { agent.stamp = epoch }
      agent.place = fault == .stampTooEarly ? .lock : .lookAtRow
      if fault != .stampTooEarly { linked = linked == 1 ? 2 : nil }
    case .lookAtRow:
      // Checks row by row, as the shell checks cell by cell: without readers, the item is freed at
      // once.
      let mustWait = rows[agent.advances] != 0 && fault != .readersOverlooked
      agent.advances += 1
      if mustWait {
        (agent.place, agent.advances) = (.lock, 0)
      } else if agent.advances == rows.count {
        freed.insert(agent.item)
        agent.place = .done
      }
    case .lock:
      if fault == .stampTooEarly { linked = linked == 1 ? 2 : nil }
      lockedBy = index
      agent.place = .readStamp
    case .readStamp:
      if fault != .stampTooEarly { agent.stamp = epoch }
      agent.place = .file
    case .file:
      let stamp = fault == .freedOneEpochEarly ? agent.stamp - 1 : agent.stamp
      retired.items.append(agent.item, stamped: stamp)
      agent.place = fault == .flagTooLate ? .checkRow : .raise
    case .raise:
      flag = true
      agent.place = fault == .flagTooLate ? .unlock : .checkRow
    case .lockToSweep:
      lockedBy = index
      agent.place = .checkRow
    case .checkRow:
      let isEmpty = rows[ReclamationDomain.rowHoldingBack(epoch)] == 0
      agent.place = agent.advances < 2 && (isEmpty || fault == .advanceUnchecked) ? .advance : .take
    case .advance:
      epoch += 1
      agent.advances += 1
      agent.place = .checkRow
    case .take:
      freed.formUnion(retired.items.takeFree(at: epoch).items)
      if fault == nil { retired.items._checkInvariants(at: epoch) }
      agent.place = .lower
    case .lower:
      if retired.items.isEmpty { flag = false }
      agent.place = fault == .flagTooLate && !retired.items.isEmpty && !flag ? .raise : .unlock
    case .unlock:
      lockedBy = nil
      agent.place = .done
    default:
      break
    }
  }
}

/// Visits every state that some interleaving reaches.
struct ReclamationSearch {
  /// The number of different states visited.
  private(set) var stateCount = 0
  /// A Boolean value that indicates whether a reader holds a freed item in any state.
  private(set) var foundUseAfterFree = false
  /// A Boolean value that indicates whether a retired item is never freed in any state.
  private(set) var foundLostSweep = false

  /// Searches from a start.
  init(_ start: ReclamationModel, fault: ReclamationModel.Fault? = nil) {
    var known: Set<ReclamationModel> = [start]
    var open = [start]
    while let state = open.popLast() {
      // A planted fault is looked for until it is found.
      if fault != nil, foundUseAfterFree || foundLostSweep { return }
      stateCount += 1
      if state.isBroken { foundUseAfterFree = true }
      if state.hasLostSweep { foundLostSweep = true }
      for agent in state.agents.indices where state.canStep(agent) {
        var next = state
        next.step(agent, fault: fault)
        if known.insert(next).inserted { open.append(next) }
      }
    }
  }
}
