extension TraceEvent.Step {
  /// What a reception means for the observer registered at a place.
  internal init(_ reception: Reception, at site: SourceSite) {
    switch reception {
    case .called: self = .called(site)
    case .failed: self = .failed(site)
    case .queued: self = .queued(site)
    case .ownerLost: self = .skipped(site, .ownerLost)
    case .spent: self = .skipped(site, .spent)
    case .paused: self = .skipped(site, .paused)
    case .cancelled: self = .skipped(site, .cancelled)
    case .excluded: self = .skipped(site, .excluded)
    case .tooNew: self = .skipped(site, .tooNew)
    case .dropped: self = .skipped(site, .dropped)
    default: self = .skipped(site, .declined)
    }
  }
}

extension SourceSite {
  /// Where an observer was registered.
  internal init(_ observer: AnyObserver) {
    self.init(fileID: observer.fileID, line: observer.line)
  }

  /// Where an event was posted.
  internal init(_ delivery: Delivery) {
    self.init(fileID: "\(delivery.fileID)", line: delivery.line)
  }
}
