/// What stands in a store, as of a look at it in which no row has a gap: what was put into a row is
/// listed, and so is all that was put into any row before it. It holds what stands in rows and what
/// refers to that, and only counts the rest.
struct CopySurvey {
  /// How often a store is looked at that others write to.
  private static let patience = 16

  /// Objects by their stage, in the order of keys; of contents none.
  private(set) var objects: [CopyOrder.Stage: [ListedObject]] = [:]
  /// Bytes of all that is to be copied.
  private(set) var bytes: Int64 = 0
  /// Rows that changed between the last two looks.
  private(set) var unsettled: [String] = []

  private init() {}

  /// Looks until two looks find the same rows. No list of names is one moment: while it is made,
  /// something may come that it doesn't show, and then something that stands on that, and is shown.
  /// But whatever the second of two equal looks would have missed in the first, it has found.
  static func take(
    of store: any ObjectStore, _ order: CopyOrder, isCancelled: () -> Bool
  ) throws(StoreError) -> CopySurvey? {
    var before = try look(at: store, order)
    for _ in 0..<patience {
      if isCancelled() { return nil }
      var now = try look(at: store, order)
      let changed = now.rows.symmetricDifference(before.rows)
      // What refers to rows is taken from the look before: what it refers to is in this one.
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
