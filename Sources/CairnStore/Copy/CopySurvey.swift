/// The objects of a store, listed so that no row has a gap: for each listed object of a row, all
/// earlier objects of all rows are listed, too. It holds the objects of rows and the references to
/// them, and only counts the rest.
struct CopySurvey {
  /// The maximum number of attempts while others write.
  private static let patience = 16

  /// Objects by their stage, in the order of keys, without contents.
  private(set) var objects: [CopyOrder.Stage: [ListedObject]] = [:]
  /// The bytes of all objects to copy.
  private(set) var bytes: Int64 = 0
  /// Rows that changed between the last two lists.
  private(set) var unsettled: [String] = []

  private init() {}

  /// Lists the store until two lists find the same rows. A list is not a moment: during it, an
  /// object may be added that it misses, and then a dependent object that it shows. But the second
  /// of two equal lists has found everything that the first missed.
  static func take(
    of store: any ObjectStore, _ order: CopyOrder, isCancelled: () -> Bool
  ) throws(StoreError) -> CopySurvey? {
    var before = try look(at: store, order)
    for _ in 0..<patience {
      if isCancelled() { return nil }
      var now = try look(at: store, order)
      let changed = now.rows.symmetricDifference(before.rows)
      // References come from the list before: everything that they refer to is in this one.
      now.objects[.reference] = before.objects[.reference]
      now.unsettled = Set(changed.map(\.folder)).sorted()
      if changed.isEmpty { return now }
      before = now
    }
    return before
  }

  private var rows: Set<ObjectKey> {
    Set(CopyOrder.Stage.allCases.filter(\.isInRows).flatMap { objects[$0] ?? [] }.map(\.key))
  }

  private static func look(
    at store: any ObjectStore, _ order: CopyOrder
  ) throws(StoreError) -> CopySurvey {
    var survey = CopySurvey()
    var cursor = ObjectCursor(store)
    while let object = try cursor.next() {
      guard let stage = order.stage(object.key) else { continue }
      survey.bytes = survey.bytes.adding(saturating: Int64(object.size ?? 0))
      if stage != .content { survey.objects[stage, default: []].append(object) }
    }
    return survey
  }
}
