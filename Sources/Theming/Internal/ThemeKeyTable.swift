internal import EventBus

/// The keys made so far: one number and one default for each pair of a name and a type.
///
/// Entries stay as long as the process: keys are constants, not per-object strings.
internal enum ThemeKeyTable {
  private struct Identity: Hashable {
    let name: String
    let type: ObjectIdentifier
  }

  private struct Entry {
    let number: Int
    let defaultValue: any AnyThemeValue
  }

  private struct State {
    var entries: [Identity: Entry] = [:]
  }

  private static let state = Locked(State())

  /// Finds the number and the default of a key, or enters them.
  ///
  /// - Parameters:
  ///   - name: The key's name.
  ///   - proposal: The default, if the key is new.
  /// - Returns: The key's number, and the default that holds for it.
  /// - Complexity: O(1).
  internal static func intern<Value>(
    _ name: String,
    default proposal: ThemeValue<Value>
  ) -> (number: Int, defaultValue: ThemeValue<Value>) {
    let identity = Identity(name: name, type: ObjectIdentifier(Value.self))
    let entry = state.withLock { state in
      if let known = state.entries[identity] { return known }
      let new = Entry(number: state.entries.count, defaultValue: proposal)
      state.entries[identity] = new
      return new
    }
    // The type is part of the identity, so the cast cannot fail.
    return (entry.number, entry.defaultValue as? ThemeValue<Value> ?? proposal)
  }
}
