/// How many registrations a property has, and what they want.
///
/// Those that have ended are counted until they are met.
internal struct PropertyCensus {
  /// All of them.
  internal private(set) var count = 0
  /// Those that want the value before.
  internal private(set) var wantingChanges = 0
  /// Those that want to be told before.
  internal private(set) var wantingPriors = 0
  /// The validators.
  internal private(set) var validators = 0
  /// Those that want to know what was written.
  internal private(set) var wantingWrites = 0
  /// Those of owners that die without telling.
  internal private(set) var untold = 0
  /// Those that know another value than the rest.
  internal var baselines = 0

  /// Whether the value may be changed in place: nobody wants the value before, or to decide.
  internal var allowsMutationInPlace: Bool { wantingChanges + wantingPriors + validators == 0 }

  /// Whether somebody wants more than plain changes.
  internal var wantsMore: Bool { wantingPriors + validators + wantingWrites + baselines > 0 }

  /// Counts a registration that comes or goes.
  internal mutating func note<Value>(_ observer: PropertyObserver<Value>, by change: Int) {
    count += change
    if observer.roles.contains(.changes) { wantingChanges += change }
    if observer.roles.contains(.priors) { wantingPriors += change }
    if observer.roles.contains(.proposals) { validators += change }
    if observer.roles.contains(.writes) { wantingWrites += change }
    if observer.needsSweeping { untold += change }
    if observer.baseline != nil { baselines += change }
  }
}
