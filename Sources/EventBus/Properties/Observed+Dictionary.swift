/// Operations on a dictionary. Each works in place and tells the observers of elements what became of
/// its key; removing a key that is not there is no write.
extension Observed {
  /// Calls a handler with what becomes of the keys of a dictionary, for as long as its owner lives.
  ///
  /// What the operations of the property do is told in O(*k*) for *k* keys; for other writes see
  /// ``DictionaryChange``. The handler costs no copy of the value. The operations of a batch are told in
  /// one change, unless they undo each other.
  ///
  /// What is stored silently, in manual mode or by ``withoutNotifying(_:)``, is told with the next change
  /// that is reported.
  ///
  /// - Parameters:
  ///   - owner: The object whose life the registration shares, held weakly.
  ///   - id: A name for the registration: another one of the same owner with the same name replaces it.
  ///   - options: ``ObserveOptions/initial`` or nothing.
  ///   - body: Called with the owner and the change.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1).
  @inlinable
  @discardableResult
  public func observeElements<O: AnyObject, Key: Hashable, Element>(
    owner: O,
    id: AnyHashable? = nil,
    options: ObserveOptions = [],
    _ body: @escaping (O, DictionaryChange<Key, Element>) -> Void
  ) -> Token where Value == [Key: Element] {
    let memory = ElementsMemory()
    return observeWrites(owner: owner, id: id, options, memory) { owner, report in
      if let change = DictionaryChange(memory.take(report).report) { body(owner, change) }
    }
  }

  /// Calls a handler with what becomes of the keys of a dictionary, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: ``ObserveOptions/initial`` or nothing.
  ///   - body: Called with the change.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  @inlinable
  public func observeElements<Key: Hashable, Element>(
    options: ObserveOptions = [],
    _ body: @escaping (DictionaryChange<Key, Element>) -> Void
  ) -> Token where Value == [Key: Element] {
    let memory = ElementsMemory()
    return observeWrites(options, memory) { report in
      if let change = DictionaryChange(memory.take(report).report) { body(change) }
    }
  }

  /// The value of a key; `nil` takes the key out.
  ///
  /// - Parameter key: The key.
  /// - Complexity: O(1) on average.
  @inlinable
  public subscript<Key: Hashable, Element>(key: Key) -> Element? where Value == [Key: Element] {
    get { storage[key] }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) }
    }
  }

  /// Gives a key a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Returns: The value it had; `nil` if the key is new.
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func updateValue<Key: Hashable, Element>(_ value: Element, forKey key: Key) -> Element?
  where Value == [Key: Element] {
    clean()
    let former = storage[key]
    write(describedBy: { DictionaryRecord(key, old: former, new: value) }) { $0[key] = value }
    return former
  }

  /// Takes a key out.
  ///
  /// - Parameter key: The key, or an equal one.
  /// - Returns: The value it had; `nil` if it was not there.
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func removeValue<Key: Hashable, Element>(forKey key: Key) -> Element?
  where Value == [Key: Element] {
    clean()
    guard let index = storage.index(forKey: key) else { return nil }
    // The key itself, too, so that it does not die while the dictionary is changed.
    let former = storage[index]
    write(describedBy: { DictionaryRecord(former.key, old: former.value, new: nil) }) {
      $0.removeValue(forKey: former.key)
    }
    withExtendedLifetime(former) {}
    return former.value
  }
}
