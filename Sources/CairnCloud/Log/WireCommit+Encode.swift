import CairnZone
import FoundationEssentials

extension WireCommit {
  /// The stored form of a commit. The epoch stands outside, in the entry.
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
    }
    chunks = commit.chunks.map { chunk in
      var wire = WireChunkEntry()
      wire.name = .init(chunk.name.bytes)
      wire.size = chunk.size
      wire.place = .init(chunk.place)
      return wire
    }
    records = commit.records.map { WireRecordChange($0) }
    share = commit.share.map { WireShareChange($0) }
    if let next = commit.nextKey { nextKey = .init(next.bytes) }
    if let run = commit.run { self.run = .init(run.bytes) }
    if let chain = commit.chain { self.chain = WireChainHead(chain) }
    keys = commit.keys.sorted { $0.key < $1.key }.map { user, key in
      var wire = WireMemberKey()
      wire.user = .init(user.bytes)
      wire.key = .init(key.bytes)
      return wire
    }
  }
}

extension WireChainHead {
  init(_ chain: ChainHead) {
    self.init()
    length = chain.length
    head = .init(chain.head.bytes)
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
    if let place = change.place {
      self.place.parent = .init(place.parent.bytes)
      self.place.name = .init(place.name.bytes)
    }
    if let content = change.content {
      self.content.id = .init(content.id.bytes)
      self.content.size = content.size
      self.content.chunks = .init(content.chunks.flatMap(\.bytes))
    }
    if let target = change.target { self.target = .init(target) }
    if let attributes = change.attributes {
      self.attributes.executable = attributes.isExecutable
      self.attributes.modified = attributes.modified
    }
    fields = change.fields
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { WireField(name: $0.key, $0.value) }
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

extension WireField {
  init(name: String, _ value: FieldValue?) {
    self.init()
    self.name = name
    switch value {
    case .bytes(let bytes)?: self.value = .data(.init(bytes))
    case .text(let text)?: self.value = .text(text)
    case .integer(let integer)?: self.value = .integer(integer)
    case nil: self.value = .removed(true)
    }
  }
}
