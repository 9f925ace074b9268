import TestSupport

/// The contents of a document in any format, with object members in a chosen order.
indirect enum Node: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([Node])
  case object([Member])

  struct Member: Equatable, Sendable {
    let name: String
    let value: Node
  }
}

extension Node: ExpressibleByStringLiteral {
  init(stringLiteral text: String) { self = .text(text) }
}

extension Node: ExpressibleByIntegerLiteral {
  init(integerLiteral number: Int) { self = .number(Double(number)) }
}

extension Node: ExpressibleByBooleanLiteral {
  init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Node: ExpressibleByNilLiteral {
  init(nilLiteral: ()) { self = .null }
}

extension Node: ExpressibleByArrayLiteral {
  init(arrayLiteral elements: Node...) { self = .list(elements) }
}

extension Node: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral members: (String, Node)...) {
    self = .object(members.map { Member(name: $0.0, value: $0.1) })
  }
}

extension Node {
  /// Returns the same, with the members of every object in another order.
  func shuffled(using random: inout SampleNumbers) -> Node {
    switch self {
    case .list(let nodes): return .list(nodes.map { $0.shuffled(using: &random) })
    case .object(let members):
      let inner = members.map { Member(name: $0.name, value: $0.value.shuffled(using: &random)) }
      return .object(inner.shuffled(using: &random))
    default: return self
    }
  }
}
