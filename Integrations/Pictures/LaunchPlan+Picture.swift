internal import EventBus
public import LaunchLoader

extension LaunchPlan {
  /// The graph as a picture: the text of an SVG file that needs no other file.
  ///
  /// Time runs from left to right: each layer is a column, on a ground for its phase, and an arrow leads from
  /// work to the work that waits for it, dashed if the dependency is optional. A legend explains them. Names
  /// that are too long are shortened at their start; pointing at a box shows the whole name.
  ///
  /// A picture shows at most 16 layers, 40 workers of each and 1,000 arrows, and counts the others. The same
  /// plan always gives the same text.
  ///
  /// - Returns: The text of the file.
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of workers and of dependencies.
  public func svg() -> String {
    var drawing = LaunchPlanDrawing(self)
    return drawing.draw()
  }

  /// The graph in the language of Graphviz: an arrow from each worker to each of its dependencies,
  /// dashed if the dependency is optional, and a box for each phase.
  ///
  /// - Complexity: O(*n* + *e*) in the numbers of workers and of dependencies.
  /// - Returns: The text of a file for `dot`.
  public func dot() -> String {
    var lines = ["digraph launch {", "  rankdir=RL;", "  node [shape=box];"]
    for phase in LaunchPhase.allCases {
      let members = zip(layers, phases).filter { $0.1 == phase }.flatMap(\.0)
      guard !members.isEmpty else { continue }
      lines += ["  subgraph cluster_\(phase) {", "    label=\"\(phase)\";"]
      lines += members.map { "    \(Self.quoted($0));" } + ["  }"]
    }
    for edge in edges {
      let style = edge.isRequired ? "" : " [style=dashed]"
      lines.append("  \(Self.quoted(edge.to)) -> \(Self.quoted(edge.from))\(style);")
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  private static func quoted(_ id: LaunchID) -> String {
    var text = "\""
    for character in id.rawValue {
      if character.isNewline {
        text += "\\n"
        continue
      }
      // A quotation mark with an accent is another character, but ends the name as well.
      for scalar in character.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

/// The drawing of a plan, with all positions in integers.
///
/// Each layer is a column. An arrow that passes a column has a lane there, which all arrows from the same
/// work share, so that no arrow runs behind a box. Within a column, boxes and lanes are ordered by the mean
/// position of their predecessors, which avoids most crossings.
///
/// A plain value. Bounded: large plans are shown in part.
private struct LaunchPlanDrawing {
  /// The ends of a box or a lane, where arrows arrive and leave.
  private typealias Place = (x: Int, endX: Int, y: Int)

  private static let margin = LaunchPicture.margin
  private static let groundTop = 48
  private static let top = 72
  private static let groundFill = "#eef2f7"
  private static let boxHeight = 26
  private static let nameCells = 28
  private static let rowHeight = 40
  private static let laneHeight = 14
  /// The distance between columns.
  private static let gap = 64
  private static let legendX = margin + 76
  private static let lineHeight = 20
  private static let columnLimit = 16
  private static let rowLimit = 40
  private static let arrowLimit = 1_000

  private let plan: LaunchPlan
  /// The work of each column that has a box.
  private let layers: [[LaunchID]]
  private let columnOf: [LaunchID: Int]
  /// The edges that are arrows.
  private let edges: ArraySlice<LaunchPlan.Edge>
  /// The number of edges between boxes that have no arrow.
  private let hiddenArrows: Int

  /// The work with a box or a lane in each column, in order.
  private var items: [[LaunchID]] = []
  /// The places of the boxes and of the lanes of each column, by their work.
  private var places: [[LaunchID: Place]] = []
  /// The left and the right edge of each column.
  private var extents: [Range<Int>] = []
  /// The lower edge of the columns.
  private var bottom = top
  /// The base line of the next line of the legend.
  private var y = 0
  /// The right end of the longest line of the legend.
  private var legendEnd = 0
  private var picture = LaunchPicture()

  /// Chooses the shown part of a plan.
  init(_ plan: LaunchPlan) {
    self.plan = plan
    let connected = Set(plan.edges.flatMap { [$0.from, $0.to] })
    layers = plan.layers.prefix(Self.columnLimit).map { layer -> [LaunchID] in
      guard layer.count > Self.rowLimit else { return layer }
      let ranked = layer.filter(connected.contains) + layer.filter { !connected.contains($0) }
      return Array(ranked.prefix(Self.rowLimit - 1))
    }
    var columnOf: [LaunchID: Int] = [:]
    for (column, layer) in layers.enumerated() { for id in layer { columnOf[id] = column } }
    self.columnOf = columnOf
    let shown = plan.edges.filter { columnOf[$0.from] != nil && columnOf[$0.to] != nil }
    edges = shown.prefix(Self.arrowLimit)
    hiddenArrows = shown.count - edges.count
  }

  /// Returns the text of the picture.
  mutating func draw() -> String {
    orderItems()
    placeItems()
    for phase in LaunchPhase.allCases { addGround(of: phase) }
    for column in layers.indices { addCount(in: column) }
    for edge in edges { addArrow(edge) }
    for column in items.indices {
      for id in items[column] where columnOf[id] == column { addBox(id, places[column][id]) }
    }
    y = bottom + (layers.isEmpty ? 0 : 20) + Self.lineHeight
    addLegend()
    let heading = heading
    let right = extents.last.map { $0.upperBound + Self.margin } ?? Self.margin
    return picture.text(
      width: max(right, heading.cellCount * 10 + Self.margin, legendEnd) + Self.margin,
      height: y - Self.lineHeight + Self.margin,
      title: heading,
      description: plan.description
    )
  }

  private var heading: String {
    let count = plan.layers.reduce(0) { $0 + $1.count }
    let workers = "\(count.grouped) \(count == 1 ? "worker" : "workers")"
    return count == 0
      ? "Launch plan: no workers"
      : "Launch plan: \(workers) in \(plan.layers.count.grouped)"
        + (plan.layers.count == 1 ? " step" : " steps, from left to right")
  }

  /// Orders the boxes and lanes of each column.
  private mutating func orderItems() {
    var lastColumn: [LaunchID: Int] = [:]
    var sources: [LaunchID: [LaunchID]] = [:]
    for edge in edges {
      lastColumn[edge.from] = max(lastColumn[edge.from] ?? 0, columnOf[edge.to] ?? 0)
      sources[edge.to, default: []].append(edge.from)
    }
    // The position of work in the last column in which it has a box or a lane, in thousandths of that column.
    var positions: [LaunchID: Int] = [:]
    var open: [LaunchID] = []
    for (column, layer) in layers.enumerated() {
      open.removeAll { (lastColumn[$0] ?? 0) <= column }
      let items = open + layer
      let keys = items.indices.map { index in
        let before = index < open.count ? [items[index]] : sources[items[index]] ?? []
        let known = before.compactMap { positions[$0] }
        return known.isEmpty
          ? (2 * index + 1) * 500 / items.count : known.reduce(0, +) / known.count
      }
      let order = items.indices.ordered { (keys[$0], $0) < (keys[$1], $1) }
      for (position, index) in order.enumerated() {
        positions[items[index]] = (2 * position + 1) * 500 / items.count
      }
      self.items.append(order.map { items[$0] })
      open += layer.filter { (lastColumn[$0] ?? 0) > column + 1 }
    }
  }

  private func height(of id: LaunchID, in column: Int) -> Int {
    columnOf[id] == column ? Self.rowHeight : Self.laneHeight
  }

  /// The number of workers of a column that have no box.
  private func hiddenCount(in column: Int) -> Int {
    plan.layers[column].count - layers[column].count
  }

  /// Places the items from the upper left.
  private mutating func placeItems() {
    let heights = items.indices.map { column in
      items[column].reduce(hiddenCount(in: column) > 0 ? Self.rowHeight : 0) {
        $0 + height(of: $1, in: column)
      }
    }
    bottom = Self.top + max(Self.rowHeight, heights.max() ?? 0)
    var x = 2 * Self.margin
    for (column, items) in items.enumerated() {
      let lengths = layers[column].map { $0.rawValue.shortened(to: Self.nameCells).cellCount }
      let least = hiddenCount(in: column) > 0 ? 14 : 4
      let endX = x + max(least, lengths.max() ?? 0) * LaunchPicture.cell + 16
      var y = Self.top + (bottom - Self.top - heights[column]) / 2
      var places: [LaunchID: Place] = [:]
      for id in items {
        let height = height(of: id, in: column)
        places[id] = (x, endX, y + height / 2)
        y += height
      }
      self.places.append(places)
      extents.append(x..<endX)
      x = endX + Self.gap
    }
  }

  /// Adds the ground of a phase, with its name.
  private mutating func addGround(of phase: LaunchPhase) {
    let columns = extents.indices.filter { plan.phases[$0] == phase }
    guard let first = columns.first, let last = columns.last else { return }
    let x = extents[first].lowerBound - Self.margin..<extents[last].upperBound + Self.margin
    let y = Self.groundTop..<bottom + 8
    picture.addRectangle(x, y, fill: Self.groundFill)
    picture.addText(
      "\(phase)",
      x: x.lowerBound + 8,
      y: y.lowerBound + 18,
      fill: LaunchPicture.gray,
      isBold: true
    )
  }

  /// Counts the workers of a column that have no box.
  private mutating func addCount(in column: Int) {
    let (count, x) = (hiddenCount(in: column), extents[column].lowerBound + 8)
    guard count > 0 else { return }
    picture.addText("and \(count.grouped) more", x: x, y: bottom - 8, fill: LaunchPicture.gray)
  }

  private mutating func addArrow(_ edge: LaunchPlan.Edge) {
    guard let first = columnOf[edge.from], let last = columnOf[edge.to], first < last,
      var former = places[first][edge.from], let end = places[last][edge.to]
    else { return }
    var path = "M \(former.endX) \(former.y)"
    for column in first + 1...last {
      let isLast = column == last
      guard let place = isLast ? end : places[column][edge.from] else { continue }
      // The last part ends at the head of the arrow.
      let x = isLast ? place.x - 7 : place.x
      let bend = (x - former.endX) / 2
      path += " C \(former.endX + bend) \(former.y) \(x - bend) \(place.y) \(x) \(place.y)"
      if !isLast { path += " H \(place.endX)" }
      former = place
    }
    picture.addLine(path, isDashed: !edge.isRequired)
    picture.addArrowHead(x: end.x, y: end.y)
  }

  private mutating func addBox(_ id: LaunchID, _ place: Place?) {
    guard let place else { return }
    let y = place.y - Self.boxHeight / 2
    let (x, height) = (place.x..<place.endX, y..<y + Self.boxHeight)
    picture.addRectangle(x, height, fill: "#ffffff", stroke: LaunchPicture.ink, note: id.rawValue)
    let name = id.rawValue.shortened(to: Self.nameCells)
    picture.addText(name, x: place.x + 8, y: y + 17)
  }

  /// Adds the legend: the meaning of the signs, and the numbers of hidden parts.
  private mutating func addLegend() {
    if plan.edges.contains(where: \.isRequired) {
      addSampleArrow(isRequired: true)
      addLegend("B needs A: B begins when A has finished")
    }
    if plan.edges.contains(where: { !$0.isRequired }) {
      addSampleArrow(isRequired: false)
      addLegend("B follows A if both are registered, even if A fails")
    }
    if !layers.isEmpty {
      let x = Self.margin..<Self.margin + 60
      picture.addRectangle(x, y - 12..<y + 4, fill: Self.groundFill)
      addLegend("phase: begins when the one on its left has ended")
    }
    if plan.phases.contains(.idle) {
      addLegend("idle: after the launch, which does not wait for it")
    }
    let hidden = plan.layers.dropFirst(layers.count)
    if !hidden.isEmpty {
      let count = hidden.reduce(0) { $0 + $1.count }
      addLegend("not shown: \(hidden.count.grouped) more steps with \(count.grouped) workers")
    }
    if hiddenArrows > 0 { addLegend("not shown: \(hiddenArrows.grouped) more arrows") }
  }

  private mutating func addLegend(_ text: String) {
    picture.addText(text, x: Self.legendX, y: y, fill: LaunchPicture.gray)
    legendEnd = max(legendEnd, Self.legendX + text.cellCount * LaunchPicture.cell)
    y += Self.lineHeight
  }

  private mutating func addSampleArrow(isRequired: Bool) {
    let x = Self.margin
    picture.addText("A", x: x, y: y)
    picture.addLine("M \(x + 12) \(y - 4) H \(x + 42)", isDashed: !isRequired)
    picture.addArrowHead(x: x + 48, y: y - 4)
    picture.addText("B", x: x + 52, y: y)
  }
}
