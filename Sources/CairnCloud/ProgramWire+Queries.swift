import CairnControl
import CairnReplica

extension CloudQuery {
  init(_ wire: Control.ProgramQuery) throws {
    self.init(
      wire.type, where: try Filter(wire.filter),
      sort: wire.sort.map { Sort($0.field, descending: $0.descending) })
  }

  var wire: Control.ProgramQuery {
    Control.ProgramQuery(
      type: type, filter: filter.wire,
      sort: sort.map { Control.ProgramSort(field: $0.field, descending: $0.descending) })
  }
}

extension CloudQuery.Cursor {
  init(wire text: String) throws {
    guard let key = Control.bytes(base64: text) else { throw CloudError.unreadable("a cursor") }
    self.init(key: key)
  }

  var wire: String { Control.base64(key) }
}

extension CloudQuery.Filter {
  init(_ wire: Control.ProgramFilter) throws {
    let parts = try wire.parts.map { try Self($0) }
    func field() throws -> (String, FieldValue) {
      guard let field = wire.field, let value = wire.value else {
        throw CloudError.unreadable("a condition")
      }
      return (field, try FieldValue(value))
    }
    switch wire.kind {
    case .all: self = .all
    case .and: self = .and(parts)
    case .or: self = .or(parts)
    case .not:
      guard let part = parts.first, parts.count == 1 else {
        throw CloudError.unreadable("a condition")
      }
      self = .not(part)
    case .contains:
      let (field, value) = try field()
      self = .contains(field, value)
    case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .begins:
      let (field, value) = try field()
      self = .field(field, CloudQuery.Comparison(wire.kind), value)
    }
  }

  var wire: Control.ProgramFilter {
    switch self {
    case .all: Control.ProgramFilter(kind: .all, parts: [])
    case .field(let field, let comparison, let value):
      Control.ProgramFilter(kind: comparison.wire, field: field, value: value.wire, parts: [])
    case .contains(let field, let value):
      Control.ProgramFilter(kind: .contains, field: field, value: value.wire, parts: [])
    case .and(let parts): Control.ProgramFilter(kind: .and, parts: parts.map(\.wire))
    case .or(let parts): Control.ProgramFilter(kind: .or, parts: parts.map(\.wire))
    case .not(let part): Control.ProgramFilter(kind: .not, parts: [part.wire])
    }
  }
}

extension CloudQuery.Comparison {
  init(_ kind: Control.ProgramFilterKind) {
    switch kind {
    case .less: self = .less
    case .lessOrEqual: self = .lessOrEqual
    case .greater: self = .greater
    case .greaterOrEqual: self = .greaterOrEqual
    case .begins: self = .begins
    case .equal, .all, .contains, .and, .or, .not: self = .equal
    }
  }

  var wire: Control.ProgramFilterKind {
    switch self {
    case .equal: .equal
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    case .begins: .begins
    }
  }
}

extension SavePolicy {
  init(_ wire: Control.ProgramPolicy) {
    switch wire {
    case .ifUnchanged: self = .ifUnchanged
    case .changedKeys: self = .changedKeys
    case .allKeys: self = .allKeys
    }
  }

  var wire: Control.ProgramPolicy {
    switch self {
    case .ifUnchanged: .ifUnchanged
    case .changedKeys: .changedKeys
    case .allKeys: .allKeys
    }
  }
}

extension DatabaseScope {
  init(_ wire: Control.Scope) {
    switch wire {
    case .private: self = .private
    case .shared: self = .shared
    case .public: self = .public
    }
  }

  var wire: Control.Scope {
    switch self {
    case .private: .private
    case .shared: .shared
    case .public: .public
    }
  }
}
