internal import Theming

/// The switches of themes, with the explanation of each key that changed.
struct ThemeHistory: Sendable {
  /// A switch.
  struct Switch: Sendable {
    /// A key that changed.
    struct Key: Sendable {
      var name: String
      var old: [String]
      var new: [String]
    }

    var time: Int64
    var old: String
    var new: String
    var appearance: String
    /// The keys that changed, sorted by name; those beyond the limit are left out.
    var keys: [Key]
    var keyCount: Int
  }

  /// The maximum number of switches, and of keys for each.
  static let limit = 200

  private(set) var switches: [Switch] = []
  private(set) var count = 0

  /// Adds a switch.
  mutating func note(_ change: Switch) {
    count += 1
    switches.append(change)
    if switches.count > Self.limit { switches.removeFirst() }
  }

  /// Describes a switch.
  ///
  /// - Complexity: O(*k* log *k*) in the number of changed keys.
  static func describe(_ change: ThemeDidChange, at time: Int64) -> Switch {
    let keys = change.changedKeys.sorted { $0.name < $1.name }
    return Switch(
      time: time,
      old: change.old.name,
      new: change.new.name,
      appearance: change.new.appearance.rawValue,
      keys: keys.prefix(limit).compactMap { key in
        guard let key = key as? any Explainable else { return nil }
        return Switch.Key(
          name: key.name,
          old: key.explanation(in: change.old),
          new: key.explanation(in: change.new)
        )
      },
      keyCount: keys.count
    )
  }

  /// The history for the page, the newest switch last.
  var json: JSON {
    [
      "count": JSON(count),
      "switches": .array(
        switches.map { change in
          [
            "time": JSON(change.time), "old": .string(change.old), "new": .string(change.new),
            "appearance": .string(change.appearance), "keyCount": JSON(change.keyCount),
            "keys": .array(
              change.keys.map {
                ["name": .string($0.name), "old": JSON($0.old), "new": JSON($0.new)]
              }
            ),
          ]
        }
      ),
    ]
  }
}

/// A key of any type of value.
private protocol Explainable {
  var name: String { get }
  func explanation(in theme: Theme) -> [String]
}

extension ThemeKey: Explainable {
  /// The steps that lead to the value.
  fileprivate func explanation(in theme: Theme) -> [String] {
    theme.explain(self).description.split(separator: "\n").map { String($0).shortened(to: 200) }
  }
}
