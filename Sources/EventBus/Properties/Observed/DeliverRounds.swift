/// Delivers the rounds that wait, so that the calls of a handler do not nest: what the calls add to the queue is
/// delivered after them.
///
/// More than 100 rounds, with the one that has been delivered already, cause a warning.
///
/// - Parameters:
///   - site: The source site of the property, for the warning.
///   - next: Removes the next round from the queue.
///   - deliver: Calls the handlers, as part of the chain of the round.
// Inlined, because the type of a round would be looked up for each one.
@inline(__always)
func deliverRounds<Round>(
  of site: PropertySite?,
  _ next: () -> Round?,
  _ deliver: (Round) -> Void
) {
  var count = 1
  while let round = next() {
    deliver(round)
    count += 1
    if count == SettingChain.warningLength + 1, let site { warnOfRounds(of: site) }
  }
}

/// Warns about observers that seem to set their property, or others that set it, in an endless cycle.
///
/// - Parameter site: The source site of the property.
func warnOfRounds(of site: PropertySite) {
  printError(
    "EventBus: the property at \(site.fileID):\(site.line) was set more than 100 times by its "
      + "own observers. Check whether they trigger each other in an endless cycle."
  )
}
