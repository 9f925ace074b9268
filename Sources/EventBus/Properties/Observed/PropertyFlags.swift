/// The state of a property that every write checks.
///
/// The first four flags are also the roles of an observer.
@usableFromInline
package struct PropertyFlags: OptionSet, Sendable {
  /// The bits of the flags.
  @usableFromInline package let rawValue: UInt8

  /// Creates flags from their bits.
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Observers of every change, who need the old value.
  @inlinable package static var changes: Self { Self(rawValue: 1) }
  /// Observers of every change before it is stored.
  @inlinable static var priors: Self { Self(rawValue: 2) }
  /// Validators of every proposed value.
  @inlinable static var validators: Self { Self(rawValue: 4) }
  /// Observers of every write report, who do not need the old value.
  @inlinable package static var writes: Self { Self(rawValue: 8) }

  /// A report is in progress; further changes are queued.
  @inlinable package static var reporting: Self { Self(rawValue: 16) }
  /// Rounds are queued.
  @inlinable package static var pending: Self { Self(rawValue: 32) }
  /// There are silent writes, writes of an open batch, or baselines.
  @inlinable static var unreported: Self { Self(rawValue: 64) }
  /// Computed values depend on the property.
  @inlinable static var dependents: Self { Self(rawValue: 128) }

  /// An assignment needs the slow path.
  @inlinable package static var involved: Self { [.priors, .validators, .writes, .unreported] }
  /// A write in place would skip a registration that needs the old value or may change the new one.
  @inlinable static var preventsMutationInPlace: Self { [.changes, .priors, .validators] }
}
