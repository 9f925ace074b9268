/// The form of a part of the recording for the page.
extension Recorder.Batch {
  /// The numbers of an entry, in this order; the last one is the reason of a skip.
  static let columns = [
    "kind", "post", "outer", "time", "name", "site", "registration", "handler", "lane", "reason",
  ]

  /// The batch as JSON.
  ///
  /// - Parameters:
  ///   - strings: The number of strings that the reader has.
  ///   - lanes: The number of lanes that the reader has.
  func json(strings known: Int = 0, lanes knownLanes: Int = 0) -> String {
    var text = "{\"first\":\(first),\"stringsFrom\":\(known),\"strings\":"
    text += JSON(strings).text
    text += ",\"lanesFrom\":\(knownLanes),\"lanes\":" + JSON(lanes).text
    text += ",\"texts\":"
    text += JSON.object(texts.sorted { $0.key < $1.key }.map { ("\($0.key)", .string($0.value)) }).text
    text += ",\"entries\":["
    for (index, entry) in entries.enumerated() {
      if index > 0 { text += "," }
      text += "\(entry.kind.rawValue),\(entry.post),\(entry.outer),\(entry.time),\(entry.name),"
      text += "\(entry.site),\(entry.registration),\(entry.handler),\(entry.lane),\(entry.reason)"
    }
    return text + "]}"
  }
}
