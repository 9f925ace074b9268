/// The fields that travel with an event besides its payload, as headers of the message.
package enum MessageFields {
  /// The valid fields: names of letters, digits, `-` and `_` which no other header uses, and values in visible
  /// ASCII, at most 8 KB together.
  package static func usable(_ fields: [String: String]) -> [String: String] {
    var room = 8192
    var result: [String: String] = [:]
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      let lowercase = name.lowercased()
      let isName =
        !name.isEmpty && !lowercase.hasPrefix("nats-") && !lowercase.hasPrefix("event-bus")
        && name.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
          default: false
          }
        }
      // A line break would begin another header.
      guard isName, value.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) else { continue }
      room -= name.utf8.count + value.utf8.count
      if room < 0 { break }
      result[name] = value
    }
    return result
  }

  /// The received fields, with those of a CloudEvent's extension for tracing under their usual names.
  package static func arrived(_ fields: [String: String]) -> [String: String] {
    var result = fields
    for name in ["traceparent", "tracestate"] where result[name] == nil {
      result[name] = fields["ce-\(name)"]
    }
    return result
  }
}
