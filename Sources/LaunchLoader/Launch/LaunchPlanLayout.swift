/// The places of the boxes and arrows in the picture of a plan.
///
/// Each layer is a column. An arrow that passes a column has a lane there, which all arrows from the same
/// work share, so that no arrow runs behind a box. Within a column, boxes and lanes are ordered by the mean
/// position of their predecessors, which avoids most crossings.
///
/// A plain value, computed in integers. Bounded: large plans are shown in part.
struct LaunchPlanLayout: Sendable {
  /// The place of a worker.
  struct Box: Sendable {
    let id: LaunchID
    let x: Int
    let y: Int
    let width: Int
    /// The position in the middle of its height.
    var middle: Int { y + LaunchPlanLayout.boxHeight / 2 }
  }

  /// The place of a layer.
  struct Column: Sendable {
    let x: Int
    let width: Int
    let phase: LaunchPhase
    /// The number of workers that have no box.
    let hiddenCount: Int
  }

  /// An arrow, as the points that it passes: the end of a box, both ends of each lane, and the next box.
  struct Arrow: Sendable {
    let points: [(x: Int, y: Int)]
    let isRequired: Bool
  }

  static let boxHeight = 26
  static let nameCells = 28
  /// The distance between columns.
  static let gap = 64
  private static let rowHeight = 40
  private static let laneHeight = 14
  private static let columnLimit = 16
  private static let rowLimit = 40
  private static let arrowLimit = 1_000

  /// The columns, the last of which has no box if layers are left out.
  private(set) var columns: [Column] = []
  private(set) var boxes: [Box] = []
  private(set) var arrows: [Arrow] = []
  /// The number of layers, and of workers in them, that are left out.
  private(set) var hiddenLayers = 0
  private(set) var hiddenInLayers = 0
  /// The number of arrows between boxes that are left out.
  private(set) var hiddenArrows = 0
  /// The lower edge of the columns.
  private(set) var bottom: Int

  /// What has a place in a column.
  private enum Item: Hashable {
    case box(LaunchID)
    /// The arrows of this work to later columns.
    case lane(LaunchID)
  }

  /// Places the work of a plan.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - left: The left edge of the first column.
  ///   - top: The upper edge of the columns.
  init(_ plan: LaunchPlan, left: Int, top: Int) {
    let connected = Set(plan.edges.flatMap { [$0.from, $0.to] })
    let layers = plan.layers.prefix(Self.columnLimit).map { layer -> [LaunchID] in
      guard layer.count > Self.rowLimit else { return layer }
      let ranked = layer.filter(connected.contains) + layer.filter { !connected.contains($0) }
      return Array(ranked.prefix(Self.rowLimit - 1))
    }
    hiddenLayers = plan.layers.count - layers.count
    hiddenInLayers = plan.layers.dropFirst(layers.count).reduce(0) { $0 + $1.count }
    bottom = top
    var columnOf: [LaunchID: Int] = [:]
    for (column, layer) in layers.enumerated() { for id in layer { columnOf[id] = column } }
    let shown = plan.edges.filter { columnOf[$0.from] != nil && columnOf[$0.to] != nil }
    let edges = shown.prefix(Self.arrowLimit)
    hiddenArrows = shown.count - edges.count
    let items = Self.ordered(layers, edges, columnOf)
    let places = place(items, plan, left, top)
    connect(edges, columnOf, places)
  }

  /// The items of each column, in order.
  private static func ordered(
    _ layers: [[LaunchID]],
    _ edges: ArraySlice<LaunchPlan.Edge>,
    _ columnOf: [LaunchID: Int]
  ) -> [[Item]] {
    var lastColumn: [LaunchID: Int] = [:]
    var sources: [LaunchID: [LaunchID]] = [:]
    for edge in edges {
      lastColumn[edge.from] = max(lastColumn[edge.from] ?? 0, columnOf[edge.to] ?? 0)
      sources[edge.to, default: []].append(edge.from)
    }
    var result: [[Item]] = []
    // The position of an item in its column, in thousandths of the column.
    var positions: [Item: Int] = [:]
    var open: [LaunchID] = []
    for (column, layer) in layers.enumerated() {
      open.removeAll { (lastColumn[$0] ?? 0) <= column }
      let items = open.map(Item.lane) + layer.map(Item.box)
      let keys = items.indices.map { index in
        let before: [Item] =
          switch items[index] {
          case .lane(let id): [columnOf[id] == column - 1 ? .box(id) : .lane(id)]
          case .box(let id):
            (sources[id] ?? []).map { columnOf[$0] == column - 1 ? .box($0) : .lane($0) }
          }
        let known = before.compactMap { positions[$0] }
        return known.isEmpty
          ? (2 * index + 1) * 500 / items.count : known.reduce(0, +) / known.count
      }
      let order = items.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
      for (position, index) in order.enumerated() {
        positions[items[index]] = (2 * position + 1) * 500 / items.count
      }
      result.append(order.map { items[$0] })
      open += layer.filter { (lastColumn[$0] ?? 0) > column + 1 }
    }
    return result
  }

  /// The ends of a box or a lane, where arrows arrive and leave.
  private typealias Place = (x: Int, endX: Int, y: Int)

  /// Places the items from the upper left.
  ///
  /// - Returns: For each column, the places of the boxes and of the lanes, by their work.
  private mutating func place(
    _ items: [[Item]],
    _ plan: LaunchPlan,
    _ left: Int,
    _ top: Int
  ) -> [[LaunchID: Place]] {
    let heights = items.map { column in
      column.reduce(0) { if case .box = $1 { $0 + Self.rowHeight } else { $0 + Self.laneHeight } }
    }
    let hidden = zip(items, plan.layers).map { column, layer in
      layer.count - column.count { if case .box = $0 { true } else { false } }
    }
    let tallest = zip(heights, hidden).map { $0 + ($1 > 0 ? Self.rowHeight : 0) }.max() ?? 0
    bottom = top + max(Self.rowHeight, tallest)
    var places: [[LaunchID: Place]] = []
    var x = left
    for (column, items) in items.enumerated() {
      var ends: [LaunchID: Place] = [:]
      let names = items.compactMap { if case .box(let id) = $0 { id } else { nil } }
      let lengths = names.map { $0.rawValue.shortened(to: Self.nameCells).cellCount }
      let least = hidden[column] > 0 ? 14 : 4
      let width = max(least, lengths.max() ?? 0) * LaunchPicture.cell + 16
      var y = top + (bottom - top - heights[column] - (hidden[column] > 0 ? Self.rowHeight : 0)) / 2
      for item in items {
        switch item {
        case .box(let id):
          let box = Box(id: id, x: x, y: y + (Self.rowHeight - Self.boxHeight) / 2, width: width)
          boxes.append(box)
          ends[id] = (x, x + width, box.middle)
          y += Self.rowHeight
        case .lane(let id):
          ends[id] = (x, x + width, y + Self.laneHeight / 2)
          y += Self.laneHeight
        }
      }
      columns.append(
        Column(x: x, width: width, phase: plan.phases[column], hiddenCount: hidden[column])
      )
      places.append(ends)
      x += width + Self.gap
    }
    return places
  }

  private mutating func connect(
    _ edges: ArraySlice<LaunchPlan.Edge>,
    _ columnOf: [LaunchID: Int],
    _ places: [[LaunchID: Place]]
  ) {
    for edge in edges {
      guard let first = columnOf[edge.from], let last = columnOf[edge.to],
        let start = places[first][edge.from], let end = places[last][edge.to], first < last
      else { continue }
      let lanes = (first + 1..<last).compactMap { places[$0][edge.from] }
      let points =
        [(start.endX, start.y)] + lanes.flatMap { [($0.x, $0.y), ($0.endX, $0.y)] }
        + [(end.x, end.y)]
      arrows.append(Arrow(points: points, isRequired: edge.isRequired))
    }
  }
}
