import CairnCloud

/// Brings changes of zones into the program's tables, inside of one transaction, in which the
/// triggers are silent.
///
/// Changes of one column on both sides: the one that is committed last wins, and that is the unsent
/// one. Changes of different columns are both kept. A change wins against a deletion. A deleted row
/// comes back if a row that stays refers to it.
final class Arrival {
  let ledger: Ledger
  /// The zones that this person can edit.
  let editable: Set<Int64>
  /// The bytes of large values.
  let assets: [Asset: [UInt8]]
  /// Rows that are out of their table for a moment, because another row needs their unique values.
  var vacated: [RowNumber: Values] = [:]
  /// The rows whose records are still to come.
  var upcoming: [RowNumber: Int] = [:]
  /// The records that are still to come.
  private var open: Set<Item.ID> = []
  /// The rows that are to be deleted.
  var doomed: Set<RowNumber> = []
  /// The rows of the records that were removed from a zone.
  private var moving: [RecordID: RowNumber] = [:]
  /// The last record of each row that was removed from a zone, and why the zone ended, if it did.
  private var removed: [RowNumber: (place: Place, ending: String?)] = [:]

  init(_ ledger: Ledger, editable: Set<Int64>, assets: [Asset: [UInt8]]) {
    (self.ledger, self.editable, self.assets) = (ledger, editable, assets)
  }

  func run(_ incoming: [Incoming]) throws(CloudError) {
    try ledger.db.run("UPDATE cairn_state SET applying = 1")
    let items = Item.ordered(incoming, ledger)
    for item in items {
      open.insert(item.id)
      if let row = try row(of: item) { upcoming[row, default: 0] += 1 }
    }
    for changes in incoming {
      try removePlaces(changes)
      doomed.formUnion(changes.discarded)
    }
    try decideRemoved()
    var again: [Item] = []
    for item in items {
      if try !apply(item, isLast: false) { again.append(item) }
      open.remove(item.id)
      if let row = try row(of: item) { upcoming[row, default: 1] -= 1 }
    }
    for item in again { _ = try apply(item, isLast: true) }
    try deleteDoomed()
    for (row, values) in vacated where !doomed.contains(row) { _ = try write(row, values) }
    try touchStrays(items)
    for changes in incoming {
      if changes.ending != nil {
        try ledger.forgetZone(changes.zone)
      } else if let token = changes.token {
        try ledger.setToken(token, of: changes.zone)
      }
    }
    try ledger.db.run("UPDATE cairn_state SET applying = 0")
  }

  private func row(of item: Item) throws(CloudError) -> RowNumber? {
    guard let row = try row(of: item.record.id, in: item.zone),
      ledger.shape(row).name == item.record.type
    else { return nil }
    return row
  }

  /// The row of a record that may be in another zone, too.
  private func row(of record: RecordID, in zone: Int64) throws(CloudError) -> RowNumber? {
    if let place = try ledger.place(zone, record) { return place.row }
    if let row = try ledger.row(of: record) { return row }
    // It left one zone and arrives in another one.
    return moving[record]
  }

  /// The values of a row, also while it is out of its table.
  func current(_ row: RowNumber) throws(CloudError) -> Values? {
    if let values = vacated[row] { return values }
    return try ledger.values(row)
  }

  // MARK: Deletions

  private func removePlaces(_ changes: Incoming) throws(CloudError) {
    for id in changes.deleted {
      try ledger.setWaiting(false, changes.zone, id)
      if let place = try ledger.place(changes.zone, id) { try remove(place, nil) }
    }
    guard changes.isWhole || changes.ending != nil else { return }
    let present = Set(changes.records.map(\.id))
    for place in try ledger.places(in: changes.zone)
    where changes.ending != nil || (place.position != nil && !present.contains(place.record)) {
      try remove(place, changes.ending)
    }
  }

  private func remove(_ place: Place, _ ending: String?) throws(CloudError) {
    try ledger.remove(place)
    removed[place.row] = (place, ending)
    moving[place.record] = place.row
  }

  private func decideRemoved() throws(CloudError) {
    for (row, removed) in removed where (upcoming[row] ?? 0) == 0 {
      moving[removed.place.record] = nil
      guard try ledger.places(of: row).isEmpty else {
        if let values = try ledger.values(row) {
          // The rows below it may have been sent to the zone that it left.
          for child in try ledger.below(row, values) { try ledger.touch(child) }
        }
        try settle(row)
        continue
      }
      guard let values = try ledger.values(row) else {
        try note(row, "delete", nil)
        try ledger.forget(row)
        continue
      }
      let isPending = try ledger.pending(row) != .none
      if isPending, try ledger.base(row) != values {
        try bringBack(row)
      } else {
        doomed.insert(row)
      }
    }
  }

  /// Keeps a row that was deleted elsewhere: its record is created again. If its zone ended, the
  /// row carries the reason.
  func bringBack(_ row: RowNumber) throws(CloudError) {
    guard let (place, ending) = removed[row] else { return }
    if let ending {
      try ledger.setProblem(row, ending)
      return try ledger.setPending(row, .new)
    }
    var again = place
    (again.position, again.dirt, again.sent) = (nil, .changed, nil)
    try ledger.save(again)
    try ledger.set(row, .collected, base: nil)
    guard let values = try current(row) else { return }
    for child in try ledger.below(row, values) { try ledger.touch(child) }
  }

  // MARK: Records

  /// Makes a record a row.
  /// - Returns: false if it must be done once more, after the records that it refers to.
  private func apply(_ item: Item, isLast: Bool) throws(CloudError) -> Bool {
    let record = item.record
    guard let table = ledger.table(record.type) else { return true }
    let known = try row(of: item)
    guard let (values, isWhole) = try decode(item, table, known) else {
      try ledger.setWaiting(true, item.zone, record.id)
      return true
    }
    guard isWhole || (known == nil && !isLast) else { return isLast }
    do throws(CloudError) {
      if let known {
        try update(known, item, values)
      } else {
        try create(item, table, values)
      }
      try ledger.setWaiting(false, item.zone, record.id)
    } catch {
      // A rule of the program's tables refuses the row: it waits, and others don't wait for it.
      guard error.code == .constraintViolation else { throw error }
      try ledger.setWaiting(true, item.zone, record.id)
    }
    return isWhole
  }

  /// Returns the row of a record, and whether all of its references lead to rows; nil if one leads
  /// to a record that isn't here.
  private func decode(
    _ item: Item, _ table: Int, _ known: RowNumber?
  ) throws(CloudError) -> (values: Values, isWhole: Bool)? {
    let shape = ledger.shapes[table]
    var values = Values(uniqueKeysWithValues: shape.columns.map { ($0, .null) })
    for (name, field) in item.record.fields where values[name] != nil {
      if let (asset, isText) = RecordCoding.asset(field) {
        guard let bytes = assets[asset] else { return nil }
        values[name] = isText ? .text(bytes) : .blob(bytes)
      } else if let value = RecordCoding.value(field) {
        values[name] = value
      }
    }
    var isWhole = true
    for key in shape.foreignKeys {
      guard let id = item.record.fields[key.field]?.record else { continue }
      var target: Values?
      if let there = try row(of: id, in: item.zone), ledger.shape(there).name == key.parent {
        target = try current(there)
        if target == nil { target = try revived(there) }
      }
      if let target {
        for (column, parent) in zip(key.columns, key.parentColumns) {
          values[column] = target[parent]
        }
      } else if open.contains(Item.ID(zone: item.zone, record: id)) {
        isWhole = false
      } else {
        return nil
      }
    }
    var before: Values?
    if let known { before = try current(known) }
    for (column, value) in shape.defaults where values[column] == .null {
      values[column] = before?[column] ?? value
    }
    return (values, isWhole)
  }

  /// Restores a row that was deleted here, because another row refers to it.
  private func revived(_ row: RowNumber) throws(CloudError) -> Values? {
    guard let base = try ledger.base(row) else { return nil }
    for key in ledger.shape(row).foreignKeys {
      let target = key.columns.map { base[$0] ?? .null }
      guard !target.contains(.null), try ledger.target(of: key, base) == nil,
        let table = ledger.table(key.parent),
        let parent = try ledger.row(table, key: target)
      else { continue }
      _ = try revived(parent)
    }
    return try current(try revive(row, try freeKey(base, of: row)))
  }

  /// Returns the row that has the values then: another one if a rule of the table made both one.
  @discardableResult
  private func revive(_ row: RowNumber, _ values: Values) throws(CloudError) -> RowNumber {
    vacated[row] = values
    let winner = try write(row, values)
    guard winner == row else { return winner }
    let places = try ledger.places(of: row)
    for var place in places {
      (place.dirt, place.problem) = (.clean, nil)
      try ledger.save(place)
    }
    // The next send decides again which of its zones it leaves.
    if places.count > 1 {
      try ledger.set(row, .new, base: values)
    } else {
      try ledger.set(row, .none)
    }
    return row
  }

  /// Notes the rows whose records refer to a record that another device moved to another zone at
  /// the same time. The next send decides where they are.
  private func touchStrays(_ items: [Item]) throws(CloudError) {
    for item in items where editable.contains(item.zone) {
      guard let row = try ledger.place(item.zone, item.record.id)?.row else { continue }
      for key in ledger.shape(row).foreignKeys {
        guard let id = item.record.fields[key.field]?.record,
          try ledger.place(item.zone, id) == nil, try ledger.row(of: id) != nil
        else { continue }
        try ledger.touch(row)
      }
    }
  }

  // MARK: Known rows

  private func update(
    _ row: RowNumber, _ item: Item, _ theirs: Values
  ) throws(CloudError) {
    let shape = ledger.shape(row)
    let known = try ledger.place(item.zone, item.record.id)
    var place = known ?? Place(zone: item.zone, record: item.record.id, row: row, position: nil)
    let position = item.record.changed.map { Int64(clamping: $0.position) }
    let isOwn = place.sent == theirs.digest(of: shape.shared)
    let isRead = place.position == position
    // Equal values later are somebody else's.
    (place.position, place.sent) = (position, nil)
    let pending = try ledger.pending(row)
    let base = try ledger.base(row)
    guard let local = try current(row) else {
      if isRead || isOwn || base.map({ $0.equals(theirs, in: shape.shared) }) ?? false {
        try ledger.save(place)
        if isOwn { try ledger.set(row, pending, base: theirs) }
        return
      }
      try ledger.save(place)
      try note(row, "insert", item.record.changed)
      try revive(row, try freeKey(theirs, of: row))
      return
    }
    let before: Values? = pending == .none ? local : isOwn ? theirs : base
    var merged = local
    if let before {
      for column in shape.shared
      where theirs[column] != before[column] && local[column] == before[column] {
        merged[column] = theirs[column]
      }
    }
    var row = row
    if merged != local {
      row = try write(row, merged)
      try note(row, "update", item.record.changed)
    } else if isOwn, !isRead {
      try note(row, "sent", item.record.changed)
    }
    let isEqual = merged.equals(theirs, in: shape.shared)
    if place.dirt != .deleted { place.dirt = isEqual ? .clean : .changed }
    if isEqual { place.problem = nil }
    place = Place(moving: place, to: row)
    try ledger.save(place)
    if merged != local { try spread(row, from: place) }
    var next = theirs
    if let key = shape.localKey { next[key] = local[key] }
    let others = try ledger.places(of: row).filter { $0.id != place.id }
    // One of two records in a zone goes. A row that became one with another one is noted meanwhile.
    let isDouble = others.contains { $0.zone == place.zone && $0.dirt != .deleted }
    let isNoted = try ledger.pending(row) == .new && (!isEqual || !others.isEmpty)
    if isDouble && place.dirt != .deleted || isNoted {
      try ledger.set(row, .new, base: next)
    } else {
      try ledger.set(row, .collected, base: next)
      try settle(row)
    }
  }

  /// Notes that the row's other records must become like this one.
  func spread(_ row: RowNumber, from place: Place?) throws(CloudError) {
    for var other in try ledger.places(of: row)
    where other.id != place?.id && other.dirt == .clean && editable.contains(other.zone) {
      other.dirt = .changed
      try ledger.save(other)
    }
  }

  /// Notes that the row is sent, if all of its records are like it.
  private func settle(_ row: RowNumber) throws(CloudError) {
    guard try ledger.pending(row) == .collected else { return }
    if try ledger.places(of: row).allSatisfy({ $0.dirt == .clean }) { try ledger.set(row, .none) }
  }

  // MARK: The history

  func note(_ row: RowNumber, _ kind: String, _ stamp: CloudRecord.Stamp?) throws(CloudError) {
    guard let key = try ledger.lastKey(row) else { return }
    try ledger.db.run(
      "INSERT INTO cairn_history(tbl, key, kind, person, time) VALUES (?, ?, ?, ?, ?)",
      [
        .integer(ledger.shape(row).number), .blob(MirroredRow("", values: key).code),
        .string(kind), stamp.map { .string($0.person.description) } ?? .null,
        .integer(stamp?.time ?? 0),
      ])
  }
}

extension Place {
  /// The place, of another row.
  init(moving place: Place, to row: RowNumber) {
    self.init(
      zone: place.zone, record: place.record, row: row, position: place.position,
      dirt: place.dirt, sent: place.sent, problem: place.problem)
  }
}

extension Values {
  func equals(_ other: [String: SQLValue], in columns: [String]) -> Bool {
    columns.allSatisfy { self[$0] == other[$0] }
  }
}
