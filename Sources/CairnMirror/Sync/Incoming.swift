import CairnCloud

/// Changes of one zone that others made, or that this device sent.
struct Incoming {
  let zone: Int64
  var records: [CloudRecord] = []
  var deleted: Set<RecordID> = []
  /// The position behind these changes; nil leaves the present one.
  var token: String?
  /// A Boolean value that indicates whether records that aren't here are deleted.
  var isWhole = false
  /// The reason why this person can't use the zone any more; nil if they can.
  var ending: String?
  /// Rows without a record, whose program gives them up.
  var discarded: Set<RowNumber> = []
}

/// A record to be made a row.
struct Item: Hashable {
  let zone: Int64
  let record: CloudRecord

  /// The zone and the id.
  struct ID: Hashable {
    let zone: Int64
    let record: RecordID
  }

  var id: ID { ID(zone: zone, record: record.id) }

  /// Returns the records of known tables, each one behind those that it refers to, where that is
  /// possible.
  static func ordered(_ incoming: [Incoming], _ ledger: Ledger) -> [Item] {
    var (all, ids): ([ID: Item], [ID]) = ([:], [])
    for changes in incoming {
      for record in changes.records where ledger.table(record.type) != nil {
        let item = Item(zone: changes.zone, record: record)
        if all.updateValue(item, forKey: item.id) == nil { ids.append(item.id) }
      }
    }
    var (order, seen): ([Item], Set<ID>) = ([], [])
    for id in ids {
      var path: [(id: ID, isDone: Bool)] = [(id, false)]
      while let (id, isDone) = path.popLast() {
        guard let item = all[id] else { continue }
        if isDone {
          order.append(item)
        } else if seen.insert(id).inserted {
          path.append((id, true))
          for target in item.record.fields.values.compactMap(\.record).sorted() {
            path.append((ID(zone: id.zone, record: target), false))
          }
        }
      }
    }
    return order
  }
}
