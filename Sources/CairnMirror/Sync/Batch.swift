import CairnCloud

/// Changes of one zone as of one moment, which are sent together.
struct Batch {
  /// A row to save.
  struct Save {
    let place: Place
    let type: String
    /// All fields of the row. Other fields of the record are left alone.
    let fields: [String: RecordCoding.Outgoing]
    /// The fields that may be set; those without a value are removed.
    let names: Set<String>
  }

  let zone: Int64
  /// A Boolean value that indicates whether the zone refused a part of them before.
  let isRefused: Bool
  var saves: [Save] = []
  var deletes: [Place] = []

  /// The records, with the ones that are saved in the order of their references.
  var records: [RecordID] { saves.map(\.place.record) + deletes.map(\.record) }

  /// The batch in two parts; nil if it has one change. Parents are saved in the first part.
  var halves: [Batch]? {
    let count = saves.count + deletes.count
    guard count > 1 else { return nil }
    let (few, rest) = (min(saves.count, count / 2), count / 2 - min(saves.count, count / 2))
    return [
      Batch(
        zone: zone, isRefused: isRefused, saves: Array(saves.prefix(few)),
        deletes: Array(deletes.prefix(rest))),
      Batch(
        zone: zone, isRefused: isRefused, saves: Array(saves.dropFirst(few)),
        deletes: Array(deletes.dropFirst(rest))),
    ]
  }
}
