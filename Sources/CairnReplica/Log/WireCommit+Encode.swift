import CairnIdentity
import CairnWire
import CairnZone
import FoundationEssentials

extension WireCommit {
  /// The stored form of a commit. The epoch is outside, in the entry.
  init(_ commit: Commit, nonce: Bytes16?) {
    self.init()
    previous = .init(commit.previous.bytes)
    user = .init(commit.author.user.bytes)
    device = .init(commit.author.device.bytes)
    time = commit.time
    if let genesis = commit.genesis {
      self.genesis.owner = .init(genesis.owner.bytes)
      self.genesis.name = genesis.name
      if let nonce { self.genesis.nonce = .init(nonce.bytes) }
      if let site = genesis.site { self.genesis.site = .init(site.bytes) }
    }
    chunks = commit.chunks.map { WireChunkEntry($0) }
    records = commit.records.map { WireRecordChange($0) }
    share = commit.share.map { WireShareChange($0) }
    if let next = commit.nextKey { nextKey = .init(next.bytes) }
    if let run = commit.run { self.run = .init(run.bytes) }
    if let chain = commit.chain { self.chain = WireChainHead(chain) }
    keys = WireMemberKey.sorted(commit.keys)
    if let lock = commit.lock { self.lock = .init(lock.bytes) }
    if let reversal = commit.reversal {
      self.reversal.kind = reversal.kind.rawValue
      self.reversal.place = reversal.place
      self.reversal.first = reversal.first
      self.reversal.ends = reversal.ends
    }
  }
}

extension WireMemberKey {
  /// The keys in their stored form, in the order of the people.
  static func sorted(_ keys: [UserID: Bytes32]) -> [WireMemberKey] {
    keys.sorted { $0.key < $1.key }.map { user, key in
      var wire = WireMemberKey()
      wire.user = .init(user.bytes)
      wire.key = .init(key.bytes)
      return wire
    }
  }
}

extension WireChunkEntry {
  init(_ chunk: ChunkEntry) {
    self.init()
    name = .init(chunk.name.bytes)
    size = chunk.size
    place = .init(chunk.place)
    if let stamp = chunk.pack {
      pack = .init(stamp.pack.bytes)
      generation = stamp.generation
    }
    again = chunk.isAgain
    if let name = chunk.after { after = .init(name.bytes) }
  }
}

extension WireRecordChange {
  init(_ change: RecordChange) {
    self.init()
    id = .init(change.id.bytes)
    switch change.act {
    case .create(let type):
      act = .create
      set(type)
    case .update: act = .update
    case .delete: act = .delete
    }
    if let place = change.place { self.place = WirePlace(place) }
    if let content = change.content { self.content = WireContent(content) }
    if let target = change.target { self.target = .init(target) }
    if let attributes = change.attributes { self.attributes = WireAttributes(attributes) }
    fields = WireField.sorted(change.fields)
  }

  private mutating func set(_ type: RecordType) {
    switch type {
    case .file: kind = .file
    case .directory: kind = .directory
    case .symlink: kind = .symlink
    case .reference: kind = .reference
    case .typed(let name):
      kind = .typed
      typeName = name
    }
  }
}

extension WirePlace {
  init(_ place: Place) {
    self.init()
    parent = .init(place.parent.bytes)
    name = .init(place.name.bytes)
  }
}

extension WireContent {
  init(_ content: Content) {
    self.init()
    id = .init(content.id.bytes)
    size = content.size
    chunks = .init(content.chunks.flatMap(\.bytes))
  }
}

extension WireAttributes {
  init(_ attributes: Attributes) {
    self.init()
    executable = attributes.isExecutable
    modified = attributes.modified
    if let mode = attributes.mode { self.mode = UInt32(mode) }
    guard let extended = attributes.extended else { return }
    self.extended.attributes =
      extended
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { name, value in
        var wire = WireExtendedAttribute()
        wire.name = .init(name)
        wire.value = .init(value)
        return wire
      }
  }
}

extension WireField {
  /// Fields in their stored form, in the order of the names' bytes; nil: a removed field.
  static func sorted(_ fields: [String: FieldValue?]) -> [WireField] {
    fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { WireField(name: $0.key, $0.value) }
  }

  private init(name: String, _ value: FieldValue?) {
    self.init()
    self.name = name
    self.value =
      switch value {
      case .bytes(let bytes)?: .data(.init(bytes))
      case .text(let text)?: .text(text)
      case .integer(let integer)?: .integer(integer)
      case .number(let number)?: .number(number)
      case .boolean(let isTrue)?: .boolean(isTrue)
      case .date(let time)?: .date(time)
      case .location(let latitude, let longitude)?: .location(WireLocation(latitude, longitude))
      case .list(let values)?: .list(WireFieldList(values))
      case .reference(let id)?: .reference(.init(id.bytes))
      case .asset(let content)?: .asset(WireContent(content))
      case nil: .removed(true)
      }
  }

  fileprivate init(_ value: FieldValue) { self.init(name: "", value) }
}

extension WireLocation {
  fileprivate init(_ latitude: Double, _ longitude: Double) {
    self.init()
    self.latitude = latitude
    self.longitude = longitude
  }
}

extension WireFieldList {
  fileprivate init(_ values: [FieldValue]) {
    self.init()
    self.values = values.map { WireField($0) }
  }
}
