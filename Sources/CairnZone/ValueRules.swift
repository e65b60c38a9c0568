/// What attributes and values of fields must look like, and what becomes of attributes that change.

/// The attributes of one record, as its type and its zone have them.
struct AttributeRules {
  /// What the record is.
  let type: RecordType
  /// What the zone carries beside the executable bit and the time.
  let carried: CarriedAttributes

  /// The attributes after a change, whatever a writer sent beside what counts: directories and
  /// symlinks aren't executable, symlinks and references have a time only, typed records nothing.
  ///
  /// Who doesn't know of permission bits or extended attributes, and so leaves them away, leaves
  /// them as they are; but the executable bit that such a program sets or takes shows in them.
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
        after.mode = type == .file ? mode.executable(after.isExecutable) : mode
      }
    }
    return after
  }
}

extension UInt16 {
  /// The permission bits with the executable bit set for whoever may read, or for nobody.
  fileprivate func executable(_ isExecutable: Bool) -> UInt16 {
    guard isExecutable != (self & 0o100 != 0) else { return self }
    return isExecutable ? self | 0o100 | (self & 0o444) >> 2 : self & ~0o111
  }
}

extension Attributes {
  /// Why no record of that type may be given these; nil if it may.
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
  /// Why no field may have the value; nil if one may.
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

  /// The kind of the value; lists compare by it.
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
  /// Whether the number has one form only: it is finite, and zero without a sign.
  fileprivate var isPlain: Bool { isFinite && !(self == 0 && sign == .minus) }
}
