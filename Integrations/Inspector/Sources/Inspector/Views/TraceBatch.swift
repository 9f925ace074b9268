/// The form of a part of the recording for the page.
extension Recorder.Batch {
  /// The numbers of an entry, in this order; the last one is the reason of a skip.
  static let columns = [
    "kind", "post", "outer", "time", "name", "site", "registration", "handler", "lane", "reason",
  ]

  /// The batch as JSON.
  ///
  /// - Parameters:
  ///   - known: The number of strings that the reader has.
  ///   - knownLanes: The number of lanes that the reader has.
  /// - Returns: The text of an object.
  func json(strings known: Int = 0, lanes knownLanes: Int = 0) -> String {
    var text = "{\"first\":\(first),\"stringsFrom\":\(known),\"strings\":"
    text += JSON(strings).text
    text += ",\"lanesFrom\":\(knownLanes),\"lanes\":" + JSON(lanes).text
    text += ",\"texts\":"
    let members = texts.sorted { $0.key < $1.key }.map { ("\($0.key)", JSON.string($0.value)) }
    text += JSON.object(members.map { (key: $0.0, value: $0.1) }).text
    text += ",\"entries\":["
    for (index, entry) in entries.enumerated() {
      if index > 0 { text += "," }
      text += "\(entry.kind.rawValue),\(entry.post),\(entry.outer),\(entry.time),\(entry.name),"
      text += "\(entry.site),\(entry.registration),\(entry.handler),\(entry.lane),\(entry.reason)"
    }
    return text + "]}"
  }
}
