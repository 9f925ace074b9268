import TestSupport
import Testing

/// Calls, ends and waits of one registration, driven one atomic access at a time.
///
/// The accesses are those of `Registration`, in the same order; what happens under its lock is one step.
private struct RegistrationModel: Hashable {
  /// A mistake to be planted, to see that the search finds it.
  enum Fault: CaseIterable {
    /// A call checks for the end before it is counted.
    case checkedFirst
    /// The end is read and then set, instead of exchanged.
    case endNotExchanged
    /// A task that waits reads the number of calls before it sets its flag.
    case readBeforeFlag
    /// A call that is refused is not subtracted.
    case refusalKept
    /// The end of a call reads the flag before the call is subtracted.
    case flagReadFirst
    /// A call that was refused does not look for tasks that wait.
    case refusalSilent
  }

  enum CallStep: Hashable { case count, check, run, readFlag, subtract, open, done }
  enum EndStep: Hashable { case read, set, unlink, done }
  enum WaitStep: Hashable { case flag, latch, asleep, done }

  struct Call: Hashable {
    var step = CallStep.count
    var isRefused = false
    var sawFlag = false
  }

  struct Ender: Hashable {
    var step = EndStep.read
    var found = false
  }

  private var calls: [Call]
  private var enders: [Ender]
  private var waiter = WaitStep.flag
  private var count = 0
  private var hasEnded = false
  private var isAwaited = false
  private var seenCalls = 0
  private var hasLatch = false
  private var unlinked = 0

  init(calls: Int, enders: Int) {
    self.calls = Array(repeating: Call(), count: calls)
    self.enders = Array(repeating: Ender(), count: enders)
  }

  private var isRunning: Bool { calls.contains { $0.step == .run } }

  var isWrong: Bool {
    // A call runs, or will run, although the fence has been passed.
    if waiter == .done, isRunning { return true }
    if unlinked > 1 { return true }
    let isQuiet = calls.allSatisfy { $0.step == .done } && enders.allSatisfy { $0.step == .done }
    guard isQuiet else { return false }
    // A task waits for ever, the count is off, or no caller performed the end.
    return waiter == .asleep || count != 0 || unlinked != 1
  }

  func successors(_ fault: Fault?) -> [RegistrationModel] {
    var states: [RegistrationModel] = []
    for index in calls.indices where calls[index].step != .done {
      var next = self
      next.stepCall(index, fault)
      states.append(next)
    }
    for index in enders.indices where enders[index].step != .done {
      var next = self
      next.stepEnd(index, fault)
      states.append(next)
    }
    // The fence is for registrations that have ended.
    if waiter != .done, waiter != .asleep, unlinked > 0 {
      var next = self
      next.stepWait(fault)
      states.append(next)
    }
    return states
  }

  private mutating func stepCall(_ index: Int, _ fault: Fault?) {
    var call = calls[index]
    switch call.step {
    case .count where fault == .checkedFirst:
      call.isRefused = hasEnded
      call.step = call.isRefused ? .done : .check
    case .check where fault == .checkedFirst:
      count += 1
      call.step = .run
    case .count, .check:
      count += 1
      call.isRefused = hasEnded
      call.step = call.isRefused ? .subtract : .run
      if call.isRefused, fault == .refusalKept { call.step = .done }
    case .run: call.step = fault == .flagReadFirst ? .readFlag : .subtract
    case .readFlag:
      call.sawFlag = isAwaited
      call.step = .subtract
    case .subtract:
      count -= 1
      let sawFlag = fault == .flagReadFirst && !call.isRefused ? call.sawFlag : isAwaited
      call.step = sawFlag && count == 0 ? .open : .done
      if call.isRefused, fault == .refusalSilent { call.step = .done }
    case .open:
      if hasLatch, waiter == .asleep { waiter = .done }
      hasLatch = false
      call.step = .done
    case .done: break
    }
    calls[index] = call
  }

  private mutating func stepEnd(_ index: Int, _ fault: Fault?) {
    var ender = enders[index]
    switch ender.step {
    case .read where fault == .endNotExchanged:
      ender.found = hasEnded
      ender.step = .set
    case .read:
      ender.found = hasEnded
      hasEnded = true
      ender.step = ender.found ? .done : .unlink
    case .set:
      hasEnded = true
      ender.step = ender.found ? .done : .unlink
    case .unlink:
      unlinked += 1
      ender.step = .done
    case .done: break
    }
    enders[index] = ender
  }

  private mutating func stepWait(_ fault: Fault?) {
    switch waiter {
    case .flag where fault == .readBeforeFlag:
      seenCalls = count
      waiter = .latch
    case .flag:
      // One exchange under the lock, which stores the latch before a call can take it.
      isAwaited = true
      hasLatch = count > 0
      waiter = count > 0 ? .asleep : .done
    case .latch:
      isAwaited = true
      hasLatch = seenCalls > 0
      waiter = seenCalls > 0 ? .asleep : .done
    case .asleep, .done: break
    }
  }
}

@Suite("Registrations under every interleaving")
struct RegistrationModelTests {
  /// Visits every reachable state.
  private func search(
    calls: Int,
    enders: Int,
    _ fault: RegistrationModel.Fault? = nil
  ) -> (states: Int, foundWrong: Bool) {
    let first = RegistrationModel(calls: calls, enders: enders)
    var (known, open): (Set<RegistrationModel>, [RegistrationModel]) = ([first], [first])
    while let state = open.popLast() {
      if state.isWrong { return (known.count, true) }
      for next in state.successors(fault) where known.insert(next).inserted { open.append(next) }
    }
    return (known.count, false)
  }

  @Test("One caller performs the end, and the fence waits for every call")
  func isRight() {
    for calls in 1...size(3, full: 4) {
      for enders in 1...size(2, full: 3) {
        let (states, foundWrong) = search(calls: calls, enders: enders)
        #expect(!foundWrong, "\(calls) calls, \(enders) ends")
        #expect(states > 20)
      }
    }
  }

  @Test("The search finds every planted fault", arguments: RegistrationModel.Fault.allCases)
  private func findsFaults(_ fault: RegistrationModel.Fault) {
    #expect(search(calls: 3, enders: 2, fault).foundWrong)
  }
}
