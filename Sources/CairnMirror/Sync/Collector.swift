import CairnCloud

/// Collects all unsent changes at one moment, inside of one transaction: no transaction of the
/// program is split. It decides which zones get a row.
///
/// A row is in the zone of its parent: the row that its first foreign key leads to. Without a
/// parent it is in the mirror's own zone, until it is shared. Each zone with a row also gets a copy
/// of the rows that it refers to, under the same ids. So a reference never leaves its zone. Every
/// device comes to the same zones from the same records.
struct Collector {
  let ledger: Ledger
  /// The mirror's own zone.
  let main: Int64
  /// The zones that this person can edit.
  let editable: Set<Int64>
  /// The ids of the zones.
  private let names: [Int64: String]
  /// The rows whose zones are decided.
  private var placed: Set<RowNumber> = []
  /// The rows to look at, in the order of their numbers.
  private var rows: [RowNumber] = []

  init(_ ledger: Ledger, main: Int64, editable: Set<Int64>) throws(CloudError) {
    (self.ledger, self.main, self.editable) = (ledger, main, editable)
    var names: [Int64: String] = [:]
    for zone in try ledger.zones() { names[zone.number] = zone.id.description }
    self.names = names
  }

  /// Returns the changes by zone. Those that a zone refused before are in batches of their own,
  /// with everything that depends on them.
  mutating func collect() throws(CloudError) -> [Batch] {
    for (table, shape) in ledger.shapes.enumerated() {
      if shape.hasOtherUniques { try SideTables(ledger.db).sweep(shape) }
      rows += try ledger.newlyPending(table)
    }
    while let row = rows.popLast() { try prepare(row) }
    // Rows that others changed may refer to other rows now. Then they leave their zone, too.
    for unsent in try ledger.dirtyPlaces() { try place(unsent.row) }
    while let row = rows.popLast() { try prepare(row) }
    return try batches()
  }

  private mutating func prepare(_ row: RowNumber) throws(CloudError) {
    let places = try ledger.places(of: row)
    guard try ledger.values(row) != nil else {
      if places.isEmpty { return try ledger.forget(row) }
      for var place in places {
        place.dirt = .deleted
        try ledger.save(place)
      }
      return try ledger.setPending(row, .collected)
    }
    try ledger.setPending(row, .collected)
    try place(row)
    for var place in try ledger.places(of: row) where place.dirt == .clean {
      // A row that was changed and changed back is compared once more with its record.
      place.dirt = .changed
      try ledger.save(place)
    }
    try mergeDoubles(of: row)
  }

  // MARK: Zones of a row

  /// Decides which zones have the row.
  private mutating func place(_ row: RowNumber) throws(CloudError) {
    guard placed.insert(row).inserted, let values = try ledger.values(row) else { return }
    if let parent = try parent(of: row, values) {
      try place(parent)
      let zones = try kept(parent)
      let places = try kept(row)
      if let home = home(zones.map(\.zone)) {
        let isThere = places.contains { place in zones.contains { $0.zone == place.zone } }
        if !isThere { try add(row, to: home) }
        var others: [Place] = []
        for place in places where !zones.contains(where: { $0.zone == place.zone }) {
          if try !isNeeded(row, values, in: place.zone) { others.append(place) }
        }
        try leave(row, values, others)
      }
    }
    // It has no parent, or is its own ancestor. A row that is back under its key is where it was.
    if try kept(row).isEmpty {
      try add(row, to: home(try ledger.places(of: row).map(\.zone)) ?? main)
    }
    for place in try kept(row) { try copyTargets(of: row, to: place.zone) }
  }

  /// The records of a row that stay.
  private func kept(_ row: RowNumber) throws(CloudError) -> [Place] {
    try ledger.places(of: row).filter { $0.dirt != .deleted }
  }

  /// The zone of a row that has records in several ones, on each device of a person the same.
  private func home(_ zones: [Int64]) -> Int64? {
    zones.contains(main) ? main : zones.min { (names[$0] ?? "") < (names[$1] ?? "") }
  }

  /// Returns whether a row that isn't below this one refers to it in a zone, so that the zone keeps
  /// a copy.
  private func isNeeded(
    _ row: RowNumber, _ values: Values, in zone: Int64
  ) throws(CloudError) -> Bool {
    for child in try ledger.below(row, values) {
      guard try kept(child).contains(where: { $0.zone == zone }),
        let values = try ledger.values(child)
      else { continue }
      if try parent(of: child, values) != row { return true }
    }
    return false
  }

  private func parent(of row: RowNumber, _ values: Values) throws(CloudError) -> RowNumber? {
    for key in ledger.shape(row).foreignKeys {
      if let target = try ledger.target(of: key, values), target != row { return target }
    }
    return nil
  }

  /// Deletes records of a row that is in the zone of its parent. The rows below it follow.
  private mutating func leave(
    _ row: RowNumber, _ values: Values, _ old: [Place]
  ) throws(CloudError) {
    guard !old.isEmpty else { return }
    for var place in old {
      place.dirt = .deleted
      try ledger.save(place)
    }
    for child in try ledger.below(row, values) where !placed.contains(child) {
      try ledger.touch(child)
      rows.append(child)
    }
  }

  /// Gives the row a record in a zone, with the id that it has elsewhere.
  private mutating func add(_ row: RowNumber, to zone: Int64) throws(CloudError) {
    let places = try ledger.places(of: row)
    if var known = places.first(where: { $0.zone == zone }) {
      guard known.dirt == .deleted else { return }
      known.dirt = .changed
      return try ledger.save(known)
    }
    var id = places.first?.record ?? .random()
    if try ledger.place(zone, id) != nil { id = .random() }
    try ledger.save(Place(zone: zone, record: id, row: row, position: nil, dirt: .changed))
  }

  private mutating func copyTargets(
    of row: RowNumber, to zone: Int64
  ) throws(CloudError) {
    guard let values = try ledger.values(row) else { return }
    for key in ledger.shape(row).foreignKeys {
      guard let target = try ledger.target(of: key, values), target != row else { continue }
      try place(target)
      let isThere = try ledger.places(of: target).contains {
        $0.zone == zone && $0.dirt != .deleted
      }
      guard !isThere else { continue }
      try add(target, to: zone)
      if try ledger.pending(target) == .none {
        try ledger.set(target, .collected, base: ledger.values(target))
      }
      try copyTargets(of: target, to: zone)
    }
  }

  /// Deletes records that became one row, except for the one with the lowest id in each zone.
  private func mergeDoubles(of row: RowNumber) throws(CloudError) {
    var kept: Set<Int64> = []
    for var place in try ledger.places(of: row)
    where place.dirt != .deleted && editable.contains(place.zone) {
      if kept.insert(place.zone).inserted { continue }
      place.dirt = .deleted
      try ledger.save(place)
    }
  }

  // MARK: Batches

  private func batches() throws(CloudError) -> [Batch] {
    let places = try ledger.dirtyPlaces()
    var refused = Set(places.filter { $0.problem != nil })
    var saves: [(place: Place, values: Values, targets: [Place])] = []
    for place in places where place.dirt == .changed {
      guard let values = try ledger.values(place.row) else { continue }
      var targets: [Place] = []
      for key in ledger.shape(place.row).foreignKeys {
        guard let target = try ledger.target(of: key, values) else { continue }
        targets += try ledger.places(of: target).filter { $0.zone == place.zone }
      }
      saves.append((place, values, targets))
    }
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for (place, _, targets) in saves where !refused.contains(place) {
        if targets.contains(where: { refused.contains($0) && $0.position == nil }) {
          refused.insert(place)
          isGrowing = true
        }
      }
    }
    var batches: [[Int64]: Batch] = [:]
    func batch(_ place: Place) -> [Int64] {
      let key = [place.zone, refused.contains(place) ? 1 : 0]
      if batches[key] == nil { batches[key] = Batch(zone: place.zone, isRefused: key[1] == 1) }
      return key
    }
    for (place, values, _) in saves {
      let key = batch(place)
      var sent = place
      sent.sent = values.digest(of: ledger.shape(place.row).shared)
      try ledger.save(sent)
      batches[key]?.saves.append(try save(sent, values))
    }
    for place in places where place.dirt == .deleted {
      batches[batch(place)]?.deletes.append(place)
    }
    // Parents come first, and new homes before old ones.
    let order = Dictionary(uniqueKeysWithValues: try depths().enumerated().map { ($1, $0) })
    return batches.values.map { batch in
      var batch = batch
      batch.saves.sort { (order[$0.place.row.table] ?? 0) < (order[$1.place.row.table] ?? 0) }
      batch.deletes.sort { (order[$0.row.table] ?? 0) > (order[$1.row.table] ?? 0) }
      return batch
    }.sorted { ($0.deletes.isEmpty ? 0 : 1, $0.zone) < ($1.deletes.isEmpty ? 0 : 1, $1.zone) }
  }

  /// The tables, those without references first.
  private func depths() throws(CloudError) -> [Int] {
    var order: [Int] = []
    func visit(_ table: Int, _ path: Set<Int>) {
      guard !order.contains(table), !path.contains(table) else { return }
      for key in ledger.shapes[table].foreignKeys {
        if let parent = ledger.table(key.parent) { visit(parent, path.union([table])) }
      }
      order.append(table)
    }
    for table in ledger.shapes.indices { visit(table, []) }
    return order
  }

  private func save(_ place: Place, _ values: Values) throws(CloudError) -> Batch.Save {
    let shape = ledger.shape(place.row)
    var fields: [String: RecordCoding.Outgoing] = [:]
    var covered: Set<String> = []
    for key in shape.foreignKeys {
      guard let target = try ledger.target(of: key, values),
        let there = try ledger.places(of: target).first(where: {
          $0.zone == place.zone && $0.dirt != .deleted
        })
      else { continue }
      fields[key.field] = .field(.reference(there.record))
      covered.formUnion(key.columns)
    }
    for column in shape.columns where !covered.contains(column) {
      fields[column] = values[column].flatMap { RecordCoding.outgoing($0) }
    }
    return Batch.Save(
      place: place, type: shape.name, fields: fields,
      names: Set(shape.columns).union(shape.foreignKeys.map(\.field)))
  }
}

extension Ledger {
  /// The row that a reference leads to; nil if one of its columns is null, or no row is there.
  func target(of key: ForeignKey, _ values: Values) throws(CloudError) -> RowNumber? {
    guard let table = table(key.parent) else { return nil }
    let target = key.columns.map { values[$0] ?? .null }
    let rows = try rows(table, key.parentColumns, target)
    return rows.first
  }

  /// The mirrored rows that refer to a row.
  func below(_ row: RowNumber, _ values: Values) throws(CloudError) -> [RowNumber] {
    var found: [RowNumber] = []
    for key in children[shape(row).name] ?? [] {
      guard let table = table(key.child) else { continue }
      found += try rows(table, key.columns, key.parentColumns.map { values[$0] ?? .null })
    }
    return found
  }
}
