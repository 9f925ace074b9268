import EventBus
import TestSupport
import Testing

/// Every kind of registration in every situation.
@Suite("Edge table", .timeLimit(.minutes(5)))
struct EdgeTableTests {
  private static let kinds =
    EdgeKind.ofBuses + EdgeKind.ofPostsAtHome + EdgeKind.ofHooks + EdgeKind.ofProperties
    + EdgeKind.ofTimersAndTokens

  private func check(_ row: EdgeRow) async {
    for kind in row.applicable(Self.kinds) {
      let findings = await row.findings(kind)
      #expect(findings == [], "\(row): \(kind)")
    }
  }

  @Test("Every row of the table lists its kinds and gives a reason for each one left out")
  func reasons() {
    for row in EdgeRow.allCases {
      let applicable = row.applicable(Self.kinds)
      #expect(!applicable.isEmpty, "\(row)")
      for kind in Self.kinds where !applicable.contains(where: { $0.name == kind.name }) {
        #expect(row.reason(against: kind)?.hasSuffix(".") == true, "\(row) leaves out \(kind)")
      }
    }
    #expect(Set(Self.kinds.map(\.name)).count == Self.kinds.count)
  }

  @Test("A registration is called once per event and never after its end")
  func fired() async { await check(.fired) }

  @Test("A cancelled registration is inactive, is not called, and frees its handler")
  func cancelled() async { await check(.cancelled) }

  @Test("Cancelling twice equals cancelling once")
  func cancelledTwice() async { await check(.cancelledTwice) }

  @Test("A registration that was called frees its handler when cancelled")
  func cancelledAfterCalls() async { await check(.cancelledAfterCalls) }

  @Test("A paused registration is active, is not called, and is called again after the pause")
  func paused() async { await check(.paused) }

  @Test("Nested pauses end with the last one, whether dropped, cancelled or cancelled twice")
  func pausedTwice() async { await check(.pausedTwice) }

  @Test("An excluded registration is skipped once and stays registered")
  func excluded() async { await check(.excluded) }

  @Test("A handler that throws is called again for the next event")
  func throwing() async { await check(.throwing) }

  @Test("A handler that triggers its own event is called once for each")
  func reentrant() async { await check(.reentrant) }

  @Test("A registration is active until it ends, and a one-call registration ends before its call")
  func active() async { await check(.active) }

  @Test("A source counts its registrations, including from inside a handler")
  func counted() async { await check(.counted) }

  @Test("A registration ends with its owner: it is not called, and frees its handler")
  func ownerGone() async { await check(.ownerGone) }

  @Test("A dead owner is not called even if its lifetime is retained")
  func ownerGoneBesideLifetime() async { await check(.ownerGoneBesideLifetime) }

  @Test("A registration ends with the lifetime of its owner")
  func ownerLifetimeEnded() async { await check(.ownerLifetimeEnded) }

  @Test("A registration ends with the lifetime it is attached to")
  func lifetimeEnded() async { await check(.lifetimeEnded) }

  @Test("Attaching a registration to an ended lifetime ends it")
  func attachedToEnded() async { await check(.attachedToEnded) }

  @Test("A registration moved to another lifetime ends with that lifetime only")
  func movedToAnotherLifetime() async { await check(.movedToAnotherLifetime) }

  @Test("A handler may end its own registration")
  func endedInItsCall() async { await check(.endedInItsCall) }

  @Test("A handler may end the lifetime its registration is attached to")
  func lifetimeEndedInItsCall() async { await check(.lifetimeEndedInItsCall) }

  @Test("Three threads that cancel one registration end it once")
  func endedByAnotherThread() async { await check(.endedByAnotherThread) }

  @Test("Cancelling does not wait for a call running on another thread")
  func endedByAnotherThreadInItsCall() async { await check(.endedByAnotherThreadInItsCall) }

  @Test("waitUntilFinished() returns for a registration that has already ended")
  func waitedAfterEnd() async { await check(.waitedAfterEnd) }

  @Test("waitUntilFinished() returns when the registration ends")
  func waitedBeforeEnd() async { await check(.waitedBeforeEnd) }

  @Test("waitUntilFinished() waits for a running call")
  func waitedDuringCall() async { await check(.waitedDuringCall) }

  @Test("waitUntilFinished() ignores the call that calls it")
  func waitedInItsHandler() async { await check(.waitedInItsHandler) }

  @Test("waitUntilFinished() returns when the registration ends by itself")
  func waitedAfterEndingByItself() async { await check(.waitedAfterEndingByItself) }

  @Test("waitUntilFinished() returns when its task is cancelled, and changes nothing")
  func waitedInCancelledTask() async { await check(.waitedInCancelledTask) }

  @Test("Dropping the token ends a registration that nothing else retains")
  func tokenDropped() async { await check(.tokenDropped) }

  @Test("Dropping a bag ends the registrations in it")
  func bagDropped() async { await check(.bagDropped) }

  @Test("Emptying a bag ends the registrations in it")
  func bagEmptied() async { await check(.bagEmptied) }

  @Test("A registration that ended by itself leaves its bag")
  func leavesItsBag() async { await check(.leavesItsBag) }

  @Test("A capture that triggers the event in its deinit is freed once, with no lock held")
  func firesFromDeinit() async { await check(.firesFromDeinit) }

  @Test("A capture that registers in its deinit is freed once, with no lock held")
  func registersFromDeinit() async { await check(.registersFromDeinit) }
}
