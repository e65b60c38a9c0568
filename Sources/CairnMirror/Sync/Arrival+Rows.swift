import CairnCloud

/// New rows, rows with equal unique values, and deletions.
extension Arrival {
  /// Makes a record a new row, or the second record of a row that is equal to it by a rule of the
  /// table.
  func create(_ item: Item, _ table: Int, _ theirs: Values) throws(CloudError) {
    let position = item.record.changed.map { Int64(clamping: $0.position) }
    if let twin = try others(table, theirs, than: nil).first {
      return try adopt(item, twin, theirs)
    }
    let values = try withKey(theirs, table)
    try insert(table, values)
    let row = try ledger.enter(table, values, pending: .none)
    try ledger.save(Place(zone: item.zone, record: item.record.id, row: row, position: position))
    try note(row, "insert", item.record.changed)
  }

  /// Makes a record another record of an existing row. The row keeps the values of the record with
  /// the lowest id, as it does on each device, and the other records of the zone are deleted.
  private func adopt(
    _ item: Item, _ row: RowNumber, _ theirs: Values
  ) throws(CloudError) {
    guard let local = try current(row) else { return }
    let shape = ledger.shape(row)
    let first = try ledger.places(of: row).map(\.record).min()
    try ledger.touch(row)
    for child in try ledger.below(row, local) { try ledger.touch(child) }
    var winner = row
    if let first, item.record.id < first {
      var merged = theirs
      if let key = shape.localKey { merged[key] = local[key] }
      winner = try write(row, merged)
      try spread(winner, from: nil)
    }
    let isEqual = try current(winner).map { $0.equals(theirs, in: shape.shared) } ?? false
    if try ledger.base(winner) == nil {
      // The row was never sent. From now on its changes are those since this record.
      var base = theirs
      if let key = shape.localKey { base[key] = local[key] }
      try ledger.set(winner, .new, base: base)
    }
    let place = Place(
      zone: item.zone, record: item.record.id, row: winner,
      position: item.record.changed.map { Int64(clamping: $0.position) },
      dirt: isEqual || !editable.contains(item.zone) ? .clean : .changed)
    try ledger.save(place)
    try note(winner, "update", item.record.changed)
  }

  /// Writes the values of a known row.
  /// - Returns: The row that has the values: another one if a rule of the table made both one.
  func write(_ row: RowNumber, _ values: Values) throws(CloudError) -> RowNumber {
    guard let old = try current(row) else { return row }
    for other in try others(row.table, values, than: row) {
      let winner = try merge(row, other)
      guard winner == row else { return winner }
    }
    let shape = ledger.shape(row)
    if vacated.removeValue(forKey: row) != nil {
      try insert(row.table, values)
    } else if let key = try ledger.key(row) {
      let changed = shape.columns.filter { values[$0] != old[$0] }
      if !changed.isEmpty {
        let new = changed.map { "\($0.quoted) = ?" }.joined(separator: ", ")
        let place = shape.key.map { "\($0.quoted) = ?" }.joined(separator: " AND ")
        try ledger.db.run(
          "UPDATE \(shape.name.quoted) SET \(new) WHERE \(place)",
          changed.map { values[$0] ?? .null } + key)
      }
    }
    try ledger.setKey(row, values)
    try follow(from: old, to: values, in: shape)
    return row
  }

  /// Changes the columns that refer to a row whose own columns changed.
  private func follow(
    from old: Values, to new: Values, in shape: TableShape
  ) throws(CloudError) {
    for key in ledger.children[shape.name] ?? [] {
      let before = key.parentColumns.map { old[$0] ?? .null }
      let after = key.parentColumns.map { new[$0] ?? .null }
      guard before != after, !before.contains(.null) else { continue }
      if let table = ledger.table(key.child) {
        for child in try ledger.rows(table, key.columns, before) {
          guard var values = try current(child) else { continue }
          for (column, value) in zip(key.columns, after) { values[column] = value }
          _ = try write(child, values)
        }
      } else {
        let (set, place) = (list(key.columns, ", "), list(key.columns, " AND "))
        try ledger.db.run(
          "UPDATE \(key.child.quoted) SET \(set) WHERE \(place)", after + before)
      }
    }
  }

  private func list(_ columns: [String], _ separator: String) -> String {
    columns.map { "\($0.quoted) = ?" }.joined(separator: separator)
  }

  // MARK: Unique values

  /// Returns the other rows that a rule of the table makes equal to these values. Rows that are
  /// about to change or to be deleted give way.
  private func others(
    _ table: Int, _ values: Values, than row: RowNumber?
  ) throws(CloudError) -> [RowNumber] {
    let shape = ledger.shapes[table]
    var found: [RowNumber] = []
    for rule in shape.uniques where shape.localKey == nil || rule.columns != shape.key {
      let equal = rule.columns.map { values[$0] ?? .null }
      for other in try ledger.rows(table, rule.columns, equal, collations: rule.collations)
      where other != row && !found.contains(other) {
        if (upcoming[other] ?? 0) > 0 || doomed.contains(other) {
          try vacate(other)
        } else {
          found.append(other)
        }
      }
    }
    return found
  }

  private func vacate(_ row: RowNumber) throws(CloudError) {
    guard let values = try ledger.values(row) else { return }
    vacated[row] = values
    try delete(row)
  }

  /// Makes two rows one. The one whose record has the lowest id stays, on each device the same.
  private func merge(_ one: RowNumber, _ two: RowNumber) throws(CloudError) -> RowNumber {
    func rank(_ row: RowNumber) throws(CloudError) -> RecordID? {
      try ledger.places(of: row).map(\.record).min()
    }
    let (first, second) = (try rank(one), try rank(two))
    let isFirst =
      if let first, let second { first < second } else { first != nil || second == nil }
    let (winner, loser) = isFirst ? (one, two) : (two, one)
    guard let kept = try current(winner), let lost = try current(loser) else { return winner }
    try ledger.touch(winner)
    for child in try ledger.below(winner, kept) { try ledger.touch(child) }
    for child in try ledger.below(loser, lost) { try ledger.touch(child) }
    try ledger.movePlaces(from: loser, to: winner)
    try spread(winner, from: nil)
    if vacated.removeValue(forKey: loser) == nil { try delete(loser) }
    try follow(from: lost, to: kept, in: ledger.shape(winner))
    try ledger.forget(loser)
    return winner
  }

  // MARK: Keys

  /// Returns the values with a key that no other row has.
  private func withKey(_ values: Values, _ table: Int) throws(CloudError) -> Values {
    let shape = ledger.shapes[table]
    guard let key = shape.localKey else { return values }
    let wanted = values[key] ?? .null
    let isOut = vacated.contains { $0.key.table == table && $0.value[key] == wanted }
    let isTaken = try !ledger.rows(table, [key], [wanted]).isEmpty
    guard wanted.int == nil || isOut || isTaken else { return values }
    var values = values
    let both = """
      SELECT max(\(key.quoted)) AS k FROM \(shape.name.quoted)
      UNION ALL SELECT max(\("k_\(key)".quoted)) FROM \(shape.side)
      """
    let most = try ledger.db.value("SELECT coalesce(max(k), 0) FROM (\(both))")?.int ?? 0
    let out = vacated.filter { $0.key.table == table }.compactMap { $0.value[key]?.int }.max() ?? 0
    values[key] = .integer(max(most, out) + 1)
    return values
  }

  /// Returns the values with the key that the row had, or a new one if another row has that now.
  func freeKey(_ values: Values, of row: RowNumber) throws(CloudError) -> Values {
    guard let name = ledger.shape(row).localKey else { return values }
    var values = values
    values[name] = try ledger.lastKey(row)?.first ?? .null
    return try withKey(values, row.table)
  }

  // MARK: The program's tables

  private func insert(_ table: Int, _ values: Values) throws(CloudError) {
    let shape = ledger.shapes[table]
    try ledger.db.run(shape.statements.insert, shape.columns.map { values[$0] ?? .null })
  }

  private func delete(_ row: RowNumber) throws(CloudError) {
    guard let key = try ledger.key(row) else { return }
    let shape = ledger.shape(row)
    try ledger.db.run(
      "DELETE FROM \(shape.name.quoted) WHERE \(list(shape.key, " AND "))", key)
  }

  // MARK: Deletions

  /// Deletes the doomed rows, except for those that a row which stays refers to.
  func deleteDoomed() throws(CloudError) {
    var isShrinking = true
    while isShrinking {
      isShrinking = false
      for row in doomed {
        guard let values = try current(row), try isNeeded(row, values) else { continue }
        doomed.remove(row)
        isShrinking = true
        // Another row may have its unique values by now: then both are one.
        if vacated[row] != nil, try write(row, values) != row { continue }
        try bringBack(row)
      }
    }
    for row in doomed {
      if let values = try current(row) { try unlink(row, values) }
      try note(row, "delete", nil)
      if vacated.removeValue(forKey: row) == nil { try delete(row) }
      try ledger.forget(row)
    }
  }

  private func isNeeded(_ row: RowNumber, _ values: Values) throws(CloudError) -> Bool {
    for key in ledger.children[ledger.shape(row).name] ?? [] where key.onDelete != .setNull {
      let target = key.parentColumns.map { values[$0] ?? .null }
      if let table = ledger.table(key.child) {
        let rows = try ledger.rows(table, key.columns, target)
        if rows.contains(where: { !doomed.contains($0) }) { return true }
      } else if key.onDelete == .refuse, !target.contains(.null) {
        let found = try ledger.db.value(
          "SELECT 1 FROM \(key.child.quoted) WHERE \(list(key.columns, " AND "))", target)
        if found != nil { return true }
      }
    }
    return false
  }

  /// Does for other rows what the deletion of a row means for them.
  private func unlink(_ row: RowNumber, _ values: Values) throws(CloudError) {
    for key in ledger.children[ledger.shape(row).name] ?? [] {
      let target = key.parentColumns.map { values[$0] ?? .null }
      guard !target.contains(.null) else { continue }
      if let table = ledger.table(key.child) {
        for child in try ledger.rows(table, key.columns, target)
        where key.onDelete == .setNull && !doomed.contains(child) {
          try ledger.touch(child)
          guard var values = try current(child) else { continue }
          for column in key.columns { values[column] = .null }
          _ = try write(child, values)
        }
      } else {
        let place = list(key.columns, " AND ")
        let none = key.columns.map { "\($0.quoted) = NULL" }.joined(separator: ", ")
        try ledger.db.run(
          key.onDelete == .cascade
            ? "DELETE FROM \(key.child.quoted) WHERE \(place)"
            : "UPDATE \(key.child.quoted) SET \(none) WHERE \(place)", target)
      }
    }
  }
}
