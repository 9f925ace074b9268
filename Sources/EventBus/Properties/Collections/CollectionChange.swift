/// A change of a collection, as reported to the observers of its elements.
///
/// Applying the splices of ``minimalSplices()`` in order, each to the result of the previous one, leads from
/// the value that the observer knew to ``new``. For the initial change they lead from an empty collection.
///
/// ```swift
/// @MainActor final class Library {
///   @Observed private(set) var books = ["Emma", "Ulysses"]
///
///   func add(_ book: String) { _books.append(book) }
/// }
///
/// let library = Library()
/// var rows: [String] = []
/// let token = library.$books.observeElements(initial: true) { change in
///   for splice in change.minimalSplices() {
///     rows.replaceSubrange(splice.range, with: splice.inserted)
///   }
/// }
/// library.add("Dune")
/// ```
public struct CollectionChange<Value: RangeReplaceableCollection> {
  /// The kinds of information about a change.
  public enum Kind: Hashable, Sendable {
    /// The value at registration.
    case initial
    /// Operations of the property, as described by ``CollectionChange/splices``.
    case splices
    /// An assignment of a whole value, or a mutation without a description.
    case set
  }

  /// The kind of information about the change.
  public let kind: Kind
  /// The new value.
  public let new: Value
  /// The splices in order, each relative to the result of the previous one; empty for other kinds.
  public let splices: [Splice<Value.Element>]
  /// The value that the observer knew, if it was kept.
  @usableFromInline let old: Value?
  /// The element count of the value that the observer knew.
  @usableFromInline let oldCount: Int

  /// Creates the change that a report describes; `nil` for a batch whose operations cancel each other out.
  @inlinable
  init?(_ report: WriteReport<Value>, _ knownCount: Int) {
    new = report.new
    old = report.old
    oldCount = knownCount
    kind = report.isInitial ? .initial : report.records == nil ? .set : .splices
    var splices: [Splice<Value.Element>] = []
    for case let record as SpliceRecord<Value.Element> in report.records ?? [] {
      if splices.isEmpty { splices = record.splices } else { splices += record.splices }
    }
    self.splices = splices
    if report.isOfBatch, kind == .splices, Self.cancelOut(splices, in: new) { return nil }
  }

  /// Returns whether splices lead back to the value with which they began.
  ///
  /// Only elements between the first and the last changed place are compared.
  ///
  /// - Complexity: O(*k* · *w*) for *k* splices between places that are *w* elements apart, if as many elements
  ///   were inserted as removed.
  @usableFromInline
  static func cancelOut(_ splices: [Splice<Value.Element>], in new: Value) -> Bool {
    let end = new.count
    var (count, head, tail) = (end, end, end)
    for splice in splices.reversed() {
      count += splice.removed.count - splice.inserted.count
      head = min(head, splice.range.lowerBound)
      tail = min(tail, count - splice.range.upperBound)
    }
    guard count == end else { return false }
    guard head < end - tail else { return true }
    let changed = Array(new.dropFirst(head).dropLast(tail))
    var former = changed
    for splice in splices.reversed() {
      let begin = splice.range.lowerBound - head
      former.replaceSubrange(begin..<begin + splice.inserted.count, with: splice.removed)
    }
    return zip(former, changed).allSatisfy { areKnownEqual($0, $1) }
  }

  /// Returns the splices that lead from the value that the observer knew to the new one.
  ///
  /// - For the kind ``Kind/splices``, the result is ``splices``.
  /// - For an assignment, the two values are compared now.
  /// - A plain mutation such as `items.sort()` leaves no value to compare with, unless an observer of
  ///   ``Change`` or a validator required the old value. The result is then a single splice that replaces
  ///   everything; its ``Splice/removed`` is empty. The same applies to several writes in a batch, unless
  ///   the first one kept the old value, and to the first change after a pause that missed some.
  /// - For the initial value, the result is one insertion of all elements.
  ///
  /// - Complexity: O((*n* + *m*) · *d*) comparisons for values of *n* and *m* elements of which *d*
  ///   differ. The splices remove and insert the fewest elements that are possible, in as many splices as
  ///   that takes; if more than 1,000 elements differ, one splice replaces everything from the first difference
  ///   to the last.
  public func minimalSplices() -> [Splice<Value.Element>] where Value.Element: Equatable {
    switch kind {
    case .splices: return splices
    case .initial: return replacement(of: 0)
    case .set:
      guard let old else { return replacement(of: oldCount) }
      return ElementDifference(from: Array(old), to: Array(new)).splices
    }
  }

  /// A Boolean value that indicates whether the change replaces everything, because the old value is unknown.
  ///
  /// `true` for the initial value, and after a plain mutation for which the old value was not kept. ``minimalSplices()``
  /// then replaces everything.
  public var isReset: Bool { kind == .initial || kind == .set && old == nil }

  private func replacement(of count: Int) -> [Splice<Value.Element>] {
    guard count > 0 || !new.isEmpty else { return [] }
    return [Splice(0..<count, removed: [], inserted: Array(new))]
  }
}

/// Returns `true` if two values are `Equatable` and equal, where NaN equals NaN.
@usableFromInline
func areKnownEqual<Value>(_ left: Value, _ right: Value) -> Bool {
  func isEqual<Known: Equatable>(_ left: Known) -> Bool {
    (right as? Known).map { sameness()(left, $0) } ?? false
  }
  guard let left = left as? any Equatable else { return false }
  return isEqual(left)
}

extension CollectionChange where Value.Element: Equatable {
  /// The offsets of the elements that are gone, in the value that the observer knew: the deletions of a batch update of a
  /// list.
  ///
  /// An element that was moved or replaced is gone in one place and new in another.
  ///
  /// - Complexity: That of ``minimalSplices()``, and O(*n* · *s*) for *n* elements and *s* splices.
  public var removals: RangeSet<Int> { RangeSet(0..<knownCount).subtracting(kept.old) }

  /// The offsets of the elements that are new, in the new value: the insertions of a batch update of a list.
  ///
  /// - Complexity: That of ``removals``.
  public var insertions: RangeSet<Int> { RangeSet(0..<new.count).subtracting(kept.new) }

  /// The number of elements that the observer knew.
  private var knownCount: Int { kind == .initial ? 0 : oldCount }

  /// The offsets of the elements that no splice has touched, in the old and in the new value.
  private var kept: (old: RangeSet<Int>, new: RangeSet<Int>) {
    var origins: [Int?] = Array(0..<knownCount)
    for splice in minimalSplices() {
      origins.replaceSubrange(splice.range, with: repeatElement(nil, count: splice.inserted.count))
    }
    var kept = (old: RangeSet<Int>(), new: RangeSet<Int>())
    for (place, origin) in origins.enumerated() {
      guard let origin else { continue }
      kept.old.insert(contentsOf: origin..<origin + 1)
      kept.new.insert(contentsOf: place..<place + 1)
    }
    return kept
  }
}

extension CollectionChange: Sendable where Value: Sendable, Value.Element: Sendable {}

extension ObservedProperty where Value: RangeReplaceableCollection & RandomAccessCollection {
  /// Calls a handler with the changes of the elements while its owner is alive.
  ///
  /// Operations of the property, such as `_items.append(item)`, are reported as splices; other writes are
  /// reported as ``CollectionChange/Kind/set``. The operations of a batch are reported in one change,
  /// unless they cancel each other out; that is known of elements that are `Equatable`. The handler does not
  /// cause a copy of the value, with one exception: if a batch begins with a plain mutation, such as
  /// `items.sort()`, the value before it is kept until the end of the batch. A batch that begins with
  /// operations and goes on with plain mutations is always reported.
  ///
  /// Silent writes, in manual mode or by ``Observed/withoutNotifying(_:)``, are reported with the next
  /// change: as splices, if all of them were operations of the property and there were at most 1,000.
  ///
  /// The owner is held weakly, and the registration ends with it, as with
  /// ``observe(owner:id:initial:prior:_:)``.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime limits the registration. It may be the object that declares the
  ///     property.
  ///   - id: An identifier. A later registration of the same owner with an equal identifier replaces this
  ///     one.
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - handler: Called with the owner and the change. A handler registered during a change is
  ///     not called for that change.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
  /// - Complexity: Amortized O(1).
  @inlinable
  @discardableResult
  public func observeElements<Owner: AnyObject>(
    owner: Owner,
    id: AnyHashable? = nil,
    initial: Bool = false,
    _ handler: @escaping (Owner, CollectionChange<Value>) -> Void
  ) -> Token {
    readOnly.property.observeElements(of: owner, id: id, initial) { owner, change in
      if let owner = owner as? Owner { handler(owner, change) }
    }
  }

  /// Calls a handler with the changes of the elements while the returned token is retained.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - handler: Called with the change.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  /// - Complexity: Amortized O(1).
  @inlinable
  public func observeElements(
    initial: Bool = false,
    _ handler: @escaping (CollectionChange<Value>) -> Void
  ) -> Token {
    readOnly.property.observeElements(of: nil, initial) { handler($1) }
  }
}

/// A replacement of a range of elements by others.
///
/// Positions are offsets from the start of the collection, independent of its index type, so they can serve
/// as rows of a list.
public struct Splice<Element> {
  /// The effects of a splice on the rows of a list.
  public enum Kind: Hashable, Sendable {
    /// Elements were inserted and none removed.
    case insertion
    /// Elements were removed and none inserted.
    case removal
    /// Elements were replaced by others, possibly by more or fewer.
    case replacement
  }

  /// The offsets of the removed elements in the collection before this splice.
  ///
  /// The range of an insertion is empty; the elements are inserted before its lower bound.
  public let range: Range<Int>
  /// The removed elements, in order.
  ///
  /// If the elements are not known, this array is empty while the range is not: see
  /// ``CollectionChange/minimalSplices()``.
  public let removed: [Element]
  /// The inserted elements, in order; they now begin at the lower bound of ``range``.
  public let inserted: [Element]

  @inlinable
  init(_ range: Range<Int>, removed: [Element], inserted: [Element]) {
    self.range = range
    self.removed = removed
    self.inserted = inserted
  }

  /// Creates a splice whose removed elements are known.
  @inlinable
  init(at offset: Int, removed: [Element] = [], inserted: [Element] = []) {
    self.init(offset..<offset + removed.count, removed: removed, inserted: inserted)
  }

  /// The effect of the splice.
  public var kind: Kind {
    if range.isEmpty { return .insertion }
    return inserted.isEmpty ? .removal : .replacement
  }
}

extension Splice {
  /// Finds the elements that satisfy a condition.
  ///
  /// The value is `inout` for the duration of the search, so that a condition that accesses the property
  /// traps, as it does in a mutation.
  ///
  /// - Returns: A splice for each run of adjacent elements, and the other elements after the first of them.
  /// - Throws: The error of the condition.
  @inlinable
  static func removals<Failure: Error>(
    in value: inout some Sequence<Element>,
    where isRemoved: (Element) throws(Failure) -> Bool
  ) throws(Failure) -> (splices: [Splice], kept: [Element]) {
    var (splices, kept, run) = ([Splice](), [Element](), [Element]())
    var offset = 0
    for element in value {
      if try isRemoved(element) {
        run.append(element)
        continue
      }
      if !run.isEmpty {
        splices.append(Splice(at: offset, removed: run))
        run = []
      }
      if !splices.isEmpty { kept.append(element) }
      offset += 1
    }
    if !run.isEmpty { splices.append(Splice(at: offset, removed: run)) }
    return (splices, kept)
  }
}

extension Splice: Sendable where Element: Sendable {}
extension Splice: Equatable where Element: Equatable {}

/// The splices of one write, for observers of elements.
///
/// A class, because a value of type `Any` takes 150 instructions more on its way to the observers.
@usableFromInline
final class SpliceRecord<Element> {
  @usableFromInline let splices: [Splice<Element>]

  @inlinable
  init(_ splices: [Splice<Element>]) { self.splices = splices }
}

@available(*, unavailable)
extension SpliceRecord: Sendable {}
