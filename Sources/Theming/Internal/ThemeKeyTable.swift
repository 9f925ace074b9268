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
    var codecs: [Int: ThemeCodec] = [:]
  }

  private static let state = Locked(State())

  /// Finds the number and the default of a key, or enters them.
  ///
  /// - Parameters:
  ///   - name: The key's name.
  ///   - proposal: The default, if the key is new.
  ///   - codec: How its values are read and written, if that is known here; then it is known
  ///     wherever the key is used.
  /// - Returns: The key's number, and the default that holds for it.
  /// - Complexity: O(1).
  internal static func intern<Value>(
    _ name: String,
    default proposal: ThemeValue<Value>,
    codec: ThemeCodec?
  ) -> (number: Int, defaultValue: ThemeValue<Value>) {
    let identity = Identity(name: name, type: ObjectIdentifier(Value.self))
    let entry = state.withLock { state in
      let entry =
        state.entries[identity] ?? Entry(number: state.entries.count, defaultValue: proposal)
      state.entries[identity] = entry
      if let codec { state.codecs[entry.number] = codec }
      return entry
    }
    // The type is part of the identity, so the cast cannot fail.
    return (entry.number, entry.defaultValue as? ThemeValue<Value> ?? proposal)
  }

  /// How the values of a key are read and written, or `nil` when its type cannot be.
  internal static func codec(of number: Int) -> ThemeCodec? {
    state.withLock { $0.codecs[number] }
  }
}
