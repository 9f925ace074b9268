import Testing

/// Posts that count the calls of one observer, driven one atomic access at a time.
///
/// The accesses are those of `AnyObserver` and of the list around it, in the same order, with two cells
/// of readers. The observer is published at any moment.
private struct CallCountModel: Hashable {
  /// A mistake to be planted, to see that the search finds it.
  enum Fault: CaseIterable {
    /// The arrivals are read once only.
    case noSecondLook
    /// Readers that are inside are overlooked.
    case notAlone
    /// The count is read before the arrivals are read first.
    case countReadFirst
    /// A post without others does not check again whether calls are still counted individually.
    case flagsReadOnce
    /// Earlier misses are not subtracted.
    case formerMissesKept
    /// A post that passes the observer over does not say so.
    case missNotCounted
  }

  enum Place: Hashable {
    case arrive, look, readFlags, miss, count
    case scan(round: Int, cell: Int)
    case readFlagsAgain, readCount, readMissed, settle, lower
    case call, leave, done
  }

  struct Post: Hashable {
    let cell: Int
    let isExcluding: Bool
    var place = Place.arrive
    var sums = [0, 0]
    var calls = 0
    var misses = 0
  }

  private(set) var posts: [Post]
  private var arrivals = [0, 0]
  private var inside = [0, 0]
  private var isPublished = false
  private var isCounting = true
  private var alone = 0
  private var missed = 0
  private var entered = 0

  /// Posts that call the observer or, where `true`, pass it over; in turn they use the one cell and the
  /// other.
  init(_ isExcluding: [Bool]) {
    posts = isExcluding.enumerated().map { Post(cell: $0.offset % 2, isExcluding: $0.element) }
  }

  var isOver: Bool { isPublished && posts.allSatisfy { $0.place == .done } }

  var isExact: Bool {
    entered == (isCounting ? alone : arrivals.reduce(0, +) - missed)
  }

  /// Returns the states that one more access leads to.
  func successors(_ fault: Fault?) -> [CallCountModel] {
    var states: [CallCountModel] = []
    if !isPublished {
      var next = self
      next.isPublished = true
      states.append(next)
    }
    for index in posts.indices where posts[index].place != .done {
      var next = self
      next.step(index, fault)
      states.append(next)
    }
    return states
  }

  private mutating func step(_ index: Int, _ fault: Fault?) {
    var post = posts[index]
    switch post.place {
    case .arrive:
      arrivals[post.cell] += 1
      inside[post.cell] += 1
      post.place = .look
    case .look: post.place = !isPublished ? .leave : post.isExcluding ? .miss : .readFlags
    case .miss:
      if fault != .missNotCounted { missed += 1 }
      post.place = .leave
    case .readFlags: post.place = isCounting ? .count : .call
    case .count:
      alone += 1
      post.place = fault == .countReadFirst ? .readCount : .scan(round: 0, cell: 0)
    case .scan(let round, let cell):
      let others = inside[cell] - (post.cell == cell ? 1 : 0)
      post.sums[round] += arrivals[cell]
      if others > 0, fault != .notAlone {
        post.place = .call
      } else if cell == 0 {
        post.place = .scan(round: round, cell: 1)
      } else if round == 1 {
        post.place = post.sums[0] == post.sums[1] ? .settle : .call
      } else {
        post.place = .readFlagsAgain
      }
    case .readFlagsAgain:
      if !isCounting, fault != .flagsReadOnce {
        post.place = .call
      } else {
        post.place = fault == .countReadFirst ? .scan(round: 1, cell: 0) : .readCount
      }
    case .readCount:
      post.calls = alone
      post.place = .readMissed
    case .readMissed:
      post.misses = fault == .formerMissesKept ? 0 : missed
      switch fault {
      case .noSecondLook: post.place = .settle
      case .countReadFirst: post.place = .scan(round: 0, cell: 0)
      default: post.place = .scan(round: 1, cell: 0)
      }
    case .settle:
      missed += post.sums[0] - post.calls - post.misses
      post.place = .lower
    case .lower:
      isCounting = false
      post.place = .call
    case .call:
      entered += 1
      post.place = .leave
    case .leave:
      inside[post.cell] -= 1
      post.place = .done
    case .done: break
    }
    posts[index] = post
  }
}

@Suite("Call counts under every interleaving")
struct CallCountModelTests {
  /// Visits every reachable state.
  ///
  /// - Returns: The number of states, and whether a count is wrong after all posts have left.
  private func search(_ isExcluding: [Bool], _ fault: CallCountModel.Fault? = nil)
    -> (states: Int, foundWrong: Bool)
  {
    let first = CallCountModel(isExcluding)
    var (known, open): (Set<CallCountModel>, [CallCountModel]) = ([first], [first])
    while let state = open.popLast() {
      if state.isOver, !state.isExact { return (known.count, true) }
      for next in state.successors(fault) where known.insert(next).inserted { open.append(next) }
    }
    return (known.count, false)
  }

  @Test(
    "Calls are counted exactly while posts overlap each other and the registration",
    arguments: [[false, false], [false, true], [false, false, false], [false, true, false]]
  )
  func exact(isExcluding: [Bool]) {
    let (states, foundWrong) = search(isExcluding)
    #expect(!foundWrong)
    #expect(states > 100)
  }

  @Test("The search detects every planted fault", arguments: CallCountModel.Fault.allCases)
  private func findsMistakes(_ fault: CallCountModel.Fault) {
    let cases = [[false, false], [false, true], [false, false, false], [false, true, false]]
    #expect(cases.contains { search($0, fault).foundWrong })
  }
}
