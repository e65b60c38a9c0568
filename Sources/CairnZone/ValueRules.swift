/// The rules for attributes and field values, and for changes of attributes.

/// The rules for one record's attributes, given its type and its zone.
struct AttributeRules {
  /// The type of the record.
  let type: RecordType
  /// The attributes that the zone carries beside the executable bit and the time.
  let carried: CarriedAttributes

  /// Returns the attributes after a change, without the attributes that a type cannot have:
  /// directories and symlinks are not executable, symlinks and references have only a time, typed
  /// records have nothing.
  ///
  /// Permission bits and extended attributes stay if the writer does not know them and omits them.
  /// But a change of the executable bit by such a program shows in the permission bits.
  func attributes(after change: Attributes, from before: Attributes?) -> Attributes {
    var after = Attributes(isExecutable: false, modified: change.modified)
    switch type {
    case .typed: after.modified = 0
    case .symlink, .reference: break
    case .file, .directory:
      after.isExecutable = type == .file && change.isExecutable
      after.extended = (carried.contains(.extended) ? change.extended : nil) ?? before?.extended
      after.mode = carried.contains(.mode) ? change.mode : nil
      if after.mode == nil, let mode = before?.mode {
        after.mode =
          type == .file ? Attributes.mode(mode, isExecutable: after.isExecutable) : mode
      }
    }
    return after
  }
}

extension Attributes {
  /// Returns the reason why a record of that type cannot have these attributes; nil if it can.
  func problem(for type: RecordType) -> String? {
    if let mode {
      guard mode <= 0o7777 else { return "A mode has twelve bits." }
      guard type != .file || isExecutable == (mode & 0o100 != 0) else {
        return "The executable bit is the owner's in the mode."
      }
    }
    guard let extended else { return nil }
    var count = 0
    for (name, value) in extended {
      guard (6...255).contains(name.count), name.starts(with: Array("user.".utf8)),
        !name.contains(0)
      else { return "An extended attribute is one of the user's, with a name of up to 255 bytes." }
      count += name.count + value.count
    }
    guard count <= Self.mostExtendedBytes else {
      return "Extended attributes have at most \(Self.mostExtendedBytes) bytes together."
    }
    return nil
  }
}

extension FieldValue {
  /// The reason why no field may have the value; nil if one may.
  var problem: String? {
    switch self {
    case .bytes, .text, .integer, .boolean, .date, .reference, .asset: return nil
    case .number(let number):
      return number.isPlain ? nil : "A number is finite, and zero has no sign."
    case .location(let latitude, let longitude):
      let isPlace =
        latitude.isPlain && longitude.isPlain && abs(latitude) <= 90 && abs(longitude) <= 180
      return isPlace ? nil : "A location is up to 90 degrees north and 180 degrees east."
    case .list(let values):
      for value in values {
        if case .list = value { return "A list holds no lists." }
        guard value.kind == values[0].kind else { return "A list holds values of one kind." }
        if let problem = value.problem { return problem }
      }
      return nil
    }
  }

  /// The kind of the value, for comparing the elements of lists.
  private var kind: Int {
    switch self {
    case .bytes: 0
    case .text: 1
    case .integer: 2
    case .number: 3
    case .boolean: 4
    case .date: 5
    case .location: 6
    case .list: 7
    case .reference: 8
    case .asset: 9
    }
  }
}

extension Double {
  /// A Boolean value that indicates whether the number has a unique form: finite, and zero without
  /// a sign.
  fileprivate var isPlain: Bool { isFinite && !(self == 0 && sign == .minus) }
}
