import CairnControl
import CairnZone

// The values of this library in requests and answers of the daemon, both ways. A mistake in a
// request is an error with `.invalidArguments`.

extension CloudError {
  static func unreadable(_ what: String) -> CloudError {
    CloudError(.invalidArguments, "\(what) in a request of a program is invalid")
  }
}

extension RecordID {
  init(wire text: String) throws {
    guard let id = RecordID(text) else { throw CloudError.unreadable("the id of a record") }
    self = id
  }
}

extension ZoneID {
  init(wire text: String) throws {
    guard let id = ZoneID(text) else { throw CloudError.unreadable("the id of a zone") }
    self = id
  }
}

extension PersonID {
  init(wire text: String) throws {
    guard let id = PersonID(text) else { throw CloudError.unreadable("the id of a person") }
    self = id
  }
}

extension Asset {
  init(_ wire: Control.ProgramAsset) throws {
    guard let id = ContentID(hexadecimal: wire.id) else { throw CloudError.unreadable("an asset") }
    let chunks = try wire.chunks.map { text in
      guard let name = ChunkName(hexadecimal: text) else { throw CloudError.unreadable("an asset") }
      return name
    }
    self.init(Content(id: id, size: wire.size, chunks: chunks))
  }

  var wire: Control.ProgramAsset {
    Control.ProgramAsset(
      id: content.id.description, size: content.size, chunks: content.chunks.map(\.description))
  }
}

extension FieldValue {
  init(_ wire: Control.ProgramValue) throws {
    if let text = wire.text {
      self = .text(text)
    } else if let number = wire.integer {
      self = .integer(number)
    } else if let flag = wire.boolean {
      self = .boolean(flag)
    } else if let number = wire.number {
      self = .number(number)
    } else if let time = wire.date {
      self = .date(time)
    } else if let text = wire.bytes {
      guard let bytes = Control.bytes(base64: text) else { throw CloudError.unreadable("a value") }
      self = .bytes(bytes)
    } else if let place = wire.location {
      self = .location(latitude: place.latitude, longitude: place.longitude)
    } else if let values = wire.list {
      self = .list(try values.map { try FieldValue($0) })
    } else if let id = wire.reference {
      self = .reference(try RecordID(wire: id))
    } else if let asset = wire.asset {
      self = .asset(try Asset(asset))
    } else {
      throw CloudError.unreadable("a value")
    }
  }

  var wire: Control.ProgramValue {
    switch self {
    case .bytes(let bytes): Control.ProgramValue(bytes: Control.base64(bytes))
    case .text(let text): Control.ProgramValue(text: text)
    case .integer(let number): Control.ProgramValue(integer: number)
    case .number(let number): Control.ProgramValue(number: number)
    case .boolean(let flag): Control.ProgramValue(boolean: flag)
    case .date(let time): Control.ProgramValue(date: time)
    case .location(let latitude, let longitude):
      Control.ProgramValue(
        location: Control.ProgramLocation(latitude: latitude, longitude: longitude))
    case .list(let values): Control.ProgramValue(list: values.map(\.wire))
    case .reference(let id): Control.ProgramValue(reference: id.description)
    case .asset(let asset): Control.ProgramValue(asset: asset.wire)
    }
  }

  static func fields(_ wire: [Control.ProgramField]) throws -> [String: FieldValue] {
    var fields: [String: FieldValue] = [:]
    for field in wire { fields[field.name] = try FieldValue(field.value) }
    return fields
  }

  static func wire(_ fields: [String: FieldValue]) -> [Control.ProgramField] {
    fields.sorted { $0.key < $1.key }.map {
      Control.ProgramField(name: $0.key, value: $0.value.wire)
    }
  }
}

extension CloudRecord.Stamp {
  init(_ wire: Control.ProgramStamp) throws {
    self.init(
      person: try PersonID(wire: wire.person), time: wire.time, position: wire.position)
  }

  var wire: Control.ProgramStamp {
    Control.ProgramStamp(person: person.description, time: time, position: position)
  }
}

extension CloudRecord {
  init(_ wire: Control.ProgramRecord) throws {
    let fields = try FieldValue.fields(wire.fields)
    var fetched = fields
    if let changed = wire.changedKeys {
      for name in changed { fetched[name] = nil }
      for field in wire.before ?? [] { fetched[field.name] = try FieldValue(field.value) }
    }
    self.init(
      id: try RecordID(wire: wire.id), type: wire.type,
      created: try wire.created.map { try Stamp($0) },
      changed: try wire.changed.map { try Stamp($0) }, fields: fields, fetched: fetched)
  }

  /// The record as the zone has it.
  var wire: Control.ProgramRecord {
    Control.ProgramRecord(
      id: id.description, type: type, created: created?.wire, changed: changed?.wire,
      fields: FieldValue.wire(fields))
  }

  /// The record with its changes.
  var wireWithChanges: Control.ProgramRecord {
    var record = wire
    let keys = changedKeys
    record.changedKeys = keys.sorted()
    record.before = FieldValue.wire(fetched.filter { keys.contains($0.key) })
    return record
  }
}
