import EventBus
import TestSupport
import Testing

/// Every kind of registration in every situation.
@Suite("Edge table", .timeLimit(.minutes(5)))
struct EdgeTableTests {
  private static let kinds =
    EdgeKind.ofBuses + EdgeKind.ofPostsAtHome + EdgeKind.ofHooks + EdgeKind.ofProperties
    + EdgeKind.ofTimersAndTokens

  private func check(_ row: EdgeRow, _ kind: EdgeKind) async {
    let findings = await row.findings(kind)
    #expect(findings == [])
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

  @Test(
    "A registration is called once per event and never after its end",
    arguments: EdgeRow.fired.applicable(kinds)
  )
  func fired(_ kind: EdgeKind) async { await check(.fired, kind) }

  @Test(
    "A cancelled registration is inactive, is not called, and frees its handler",
    arguments: EdgeRow.cancelled.applicable(kinds)
  )
  func cancelled(_ kind: EdgeKind) async { await check(.cancelled, kind) }

  @Test(
    "Cancelling twice equals cancelling once",
    arguments: EdgeRow.cancelledTwice.applicable(kinds)
  )
  func cancelledTwice(_ kind: EdgeKind) async {
    await check(.cancelledTwice, kind)
  }

  @Test(
    "A registration that was called frees its handler when cancelled",
    arguments: EdgeRow.cancelledAfterCalls.applicable(kinds)
  )
  func cancelledAfterCalls(_ kind: EdgeKind) async {
    await check(.cancelledAfterCalls, kind)
  }

  @Test(
    "A paused registration is active, is not called, and is called again after the pause",
    arguments: EdgeRow.paused.applicable(kinds)
  )
  func paused(_ kind: EdgeKind) async { await check(.paused, kind) }

  @Test(
    "Nested pauses end with the last one, whether dropped, cancelled or cancelled twice",
    arguments: EdgeRow.pausedTwice.applicable(kinds)
  )
  func pausedTwice(_ kind: EdgeKind) async {
    await check(.pausedTwice, kind)
  }

  @Test(
    "An excluded registration is skipped once and stays registered",
    arguments: EdgeRow.excluded.applicable(kinds)
  )
  func excluded(_ kind: EdgeKind) async { await check(.excluded, kind) }

  @Test(
    "A handler that throws is called again for the next event",
    arguments: EdgeRow.throwing.applicable(kinds)
  )
  func throwing(_ kind: EdgeKind) async { await check(.throwing, kind) }

  @Test(
    "A handler that triggers its own event is called once for each",
    arguments: EdgeRow.reentrant.applicable(kinds)
  )
  func reentrant(_ kind: EdgeKind) async { await check(.reentrant, kind) }

  @Test(
    "A registration is active until it ends, and a one-call registration ends before its call",
    arguments: EdgeRow.active.applicable(kinds)
  )
  func active(_ kind: EdgeKind) async { await check(.active, kind) }

  @Test(
    "A source counts its registrations, including from inside a handler",
    arguments: EdgeRow.counted.applicable(kinds)
  )
  func counted(_ kind: EdgeKind) async { await check(.counted, kind) }

  @Test(
    "A registration ends with its owner: it is not called, and frees its handler",
    arguments: EdgeRow.ownerGone.applicable(kinds)
  )
  func ownerGone(_ kind: EdgeKind) async { await check(.ownerGone, kind) }

  @Test(
    "A dead owner is not called even if its lifetime is retained",
    arguments: EdgeRow.ownerGoneBesideLifetime.applicable(kinds)
  )
  func ownerGoneBesideLifetime(_ kind: EdgeKind) async {
    await check(.ownerGoneBesideLifetime, kind)
  }

  @Test(
    "A registration ends with the lifetime of its owner",
    arguments: EdgeRow.ownerLifetimeEnded.applicable(kinds)
  )
  func ownerLifetimeEnded(_ kind: EdgeKind) async {
    await check(.ownerLifetimeEnded, kind)
  }

  @Test(
    "A registration ends with the lifetime it is attached to",
    arguments: EdgeRow.lifetimeEnded.applicable(kinds)
  )
  func lifetimeEnded(_ kind: EdgeKind) async {
    await check(.lifetimeEnded, kind)
  }

  @Test(
    "Attaching a registration to an ended lifetime ends it",
    arguments: EdgeRow.attachedToEnded.applicable(kinds)
  )
  func attachedToEnded(_ kind: EdgeKind) async {
    await check(.attachedToEnded, kind)
  }

  @Test(
    "A registration moved to another lifetime ends with that lifetime only",
    arguments: EdgeRow.movedToAnotherLifetime.applicable(kinds)
  )
  func movedToAnotherLifetime(_ kind: EdgeKind) async {
    await check(.movedToAnotherLifetime, kind)
  }

  @Test(
    "A handler may end its own registration",
    arguments: EdgeRow.endedInItsCall.applicable(kinds)
  )
  func endedInItsCall(_ kind: EdgeKind) async {
    await check(.endedInItsCall, kind)
  }

  @Test(
    "A handler may end the lifetime its registration is attached to",
    arguments: EdgeRow.lifetimeEndedInItsCall.applicable(kinds)
  )
  func lifetimeEndedInItsCall(_ kind: EdgeKind) async {
    await check(.lifetimeEndedInItsCall, kind)
  }

  @Test(
    "Three threads that cancel one registration end it once",
    arguments: EdgeRow.endedByAnotherThread.applicable(kinds)
  )
  func endedByAnotherThread(_ kind: EdgeKind) async {
    await check(.endedByAnotherThread, kind)
  }

  @Test(
    "Cancelling does not wait for a call running on another thread",
    arguments: EdgeRow.endedByAnotherThreadInItsCall.applicable(kinds)
  )
  func endedByAnotherThreadInItsCall(_ kind: EdgeKind) async {
    await check(.endedByAnotherThreadInItsCall, kind)
  }

  @Test(
    "waitUntilFinished() returns for a registration that has already ended",
    arguments: EdgeRow.waitedAfterEnd.applicable(kinds)
  )
  func waitedAfterEnd(_ kind: EdgeKind) async {
    await check(.waitedAfterEnd, kind)
  }

  @Test(
    "waitUntilFinished() returns when the registration ends",
    arguments: EdgeRow.waitedBeforeEnd.applicable(kinds)
  )
  func waitedBeforeEnd(_ kind: EdgeKind) async {
    await check(.waitedBeforeEnd, kind)
  }

  @Test(
    "waitUntilFinished() waits for a running call",
    arguments: EdgeRow.waitedDuringCall.applicable(kinds)
  )
  func waitedDuringCall(_ kind: EdgeKind) async {
    await check(.waitedDuringCall, kind)
  }

  @Test(
    "waitUntilFinished() ignores the call that calls it",
    arguments: EdgeRow.waitedInItsHandler.applicable(kinds)
  )
  func waitedInItsHandler(_ kind: EdgeKind) async {
    await check(.waitedInItsHandler, kind)
  }

  @Test(
    "waitUntilFinished() returns when the registration ends by itself",
    arguments: EdgeRow.waitedAfterEndingByItself.applicable(kinds)
  )
  func waitedAfterEndingByItself(_ kind: EdgeKind) async {
    await check(.waitedAfterEndingByItself, kind)
  }

  @Test(
    "waitUntilFinished() returns when its task is cancelled, and changes nothing",
    arguments: EdgeRow.waitedInCancelledTask.applicable(kinds)
  )
  func waitedInCancelledTask(_ kind: EdgeKind) async {
    await check(.waitedInCancelledTask, kind)
  }

  @Test(
    "Dropping the token ends a registration that nothing else retains",
    arguments: EdgeRow.tokenDropped.applicable(kinds)
  )
  func tokenDropped(_ kind: EdgeKind) async {
    await check(.tokenDropped, kind)
  }

  @Test(
    "Dropping a bag ends the registrations in it",
    arguments: EdgeRow.bagDropped.applicable(kinds)
  )
  func bagDropped(_ kind: EdgeKind) async { await check(.bagDropped, kind) }

  @Test(
    "Emptying a bag ends the registrations in it",
    arguments: EdgeRow.bagEmptied.applicable(kinds)
  )
  func bagEmptied(_ kind: EdgeKind) async { await check(.bagEmptied, kind) }

  @Test(
    "A registration that ended by itself leaves its bag",
    arguments: EdgeRow.leavesItsBag.applicable(kinds)
  )
  func leavesItsBag(_ kind: EdgeKind) async {
    await check(.leavesItsBag, kind)
  }

  @Test(
    "A capture that triggers the event in its deinit is freed once, under no lock",
    arguments: EdgeRow.firesFromDeinit.applicable(kinds)
  )
  func firesFromDeinit(_ kind: EdgeKind) async {
    await check(.firesFromDeinit, kind)
  }

  @Test(
    "A capture that registers in its deinit is freed once, under no lock",
    arguments: EdgeRow.registersFromDeinit.applicable(kinds)
  )
  func registersFromDeinit(_ kind: EdgeKind) async {
    await check(.registersFromDeinit, kind)
  }
}
