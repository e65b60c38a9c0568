import CairnControl

/// The targets of the table: the named path, and the person who names it.
enum TargetCase: String, CaseIterable, Sendable {
  /// Ana names the root of a folder that she shares.
  case root
  /// Ana names a directory inside of it.
  case inside
  /// Ana names something inside of it that doesn't exist.
  case missing
  /// Ana names one of three parts of another share of hers.
  case part
  /// Ana names the first share by its id.
  case id
  /// Bob names the folder of the share that he received.
  case received
  /// Bob names a directory inside of it.
  case receivedInside

  /// True if Bob names the target.
  var isBobs: Bool { self == .received || self == .receivedInside }
}

/// The result of an operation on a target.
enum TargetOutcome: Hashable, Sendable {
  /// It succeeds.
  case done
  /// It is refused because of its target, and changes nothing.
  case refused
  /// It wants a confirmation, and changes nothing yet.
  case asked
  /// It accepts the target, and fails for another reason.
  case fails(Control.ErrorCode)
  /// The operation has no such reference.
  case none
}

/// A row of the table: an operation, and its result for each target.
struct TargetRow: Sendable {
  let operation: any ControlOperation.Type
  let outcomes: [TargetCase: TargetOutcome]
  /// True if an accepted request changes its target, so that each gets one of its own.
  var isDestructive = false
  /// The request for a target.
  let request: @Sendable (Control.ShareReference) -> any ControlOperation

  /// An operation on a whole share: it takes roots and ids.
  static func whole<Operation: ControlOperation>(
    _ operation: Operation.Type, _ anas: TargetOutcome, bob: TargetOutcome,
    isDestructive: Bool = false,
    _ request: @escaping @Sendable (Control.ShareReference) -> Operation
  ) -> TargetRow {
    TargetRow(
      operation: operation,
      outcomes: [
        .root: anas, .id: anas, .received: bob, .inside: .refused, .missing: .refused,
        .part: .refused, .receivedInside: .refused,
      ], isDestructive: isDestructive, request: request)
  }

  /// Returns a row for an operation that only reads, and describes the whole share of a part.
  static func wholeToRead<Operation: ControlOperation>(
    _ operation: Operation.Type, _ whole: TargetOutcome = .done, inside: TargetOutcome,
    _ request: @escaping @Sendable (Control.ShareReference) -> Operation
  ) -> TargetRow {
    TargetRow(
      operation: operation,
      outcomes: [
        .root: whole, .id: whole, .received: whole, .inside: inside, .missing: inside,
        .part: whole, .receivedInside: inside,
      ], request: request)
  }

  /// An operation on a folder or file that this device mirrors by itself.
  static func mirrored<Operation: ControlOperation>(
    _ operation: Operation.Type, _ outcome: TargetOutcome, isDestructive: Bool = false,
    _ request: @escaping @Sendable (Control.Path) -> Operation
  ) -> TargetRow {
    paths(
      operation, outcome, inside: .refused, missing: .refused, isDestructive: isDestructive, request
    )
  }

  /// An operation on any path.
  static func paths<Operation: ControlOperation>(
    _ operation: Operation.Type, _ root: TargetOutcome, inside: TargetOutcome? = nil,
    missing: TargetOutcome? = nil, part: TargetOutcome? = nil, bob: TargetOutcome? = nil,
    bobInside: TargetOutcome? = nil, isDestructive: Bool = false,
    _ request: @escaping @Sendable (Control.Path) -> Operation
  ) -> TargetRow {
    TargetRow(
      operation: operation,
      outcomes: [
        .root: root, .inside: inside ?? root, .missing: missing ?? inside ?? root,
        .part: part ?? root, .id: .none, .received: bob ?? root,
        .receivedInside: bobInside ?? inside ?? root,
      ], isDestructive: isDestructive
    ) { reference in
      guard case .path(let path) = reference else { preconditionFailure("an id isn't a path") }
      return request(path)
    }
  }
}
