import CairnPlan
import CairnZone
import Testing

/// How modes and extended attributes of both sides become one, and that this ends.
@Suite struct MetadataMergeTests {
  /// The attributes of one side: a mode, an executable bit that need not agree with it, and one
  /// extended attribute.
  struct Side: CustomTestStringConvertible, Sendable {
    var mode: UInt16?
    var tags: [String: UInt8]?

    var attributes: Attributes {
      Attributes(
        isExecutable: (mode ?? 0) & 0o100 != 0, modified: 1, mode: mode,
        extended: tags.map { tags in
          Attributes.Extended(uniqueKeysWithValues: tags.map { (Array($0.utf8), [$1]) })
        })
    }

    var testDescription: String {
      "\(mode.map { String($0, radix: 8) } ?? "-") \(tags.map { "\($0)" } ?? "-")"
    }
  }

  private func tree(_ side: Side?) -> ModelTree {
    var tree = ModelTree()
    guard let side else { return tree }
    tree[recordID(1)] = Node(
      place: Place(parent: .root, name: fileName("f")), kind: .file(contentID(1)),
      attributes: side.attributes)
    return tree
  }

  @Test(
    arguments: [
      // The side that changed it wins, and the log if both did.
      (0o644, 0o600, 0o644, 0o600), (0o644, 0o644, 0o600, 0o600), (0o644, 0o600, 0o640, 0o640),
      // A side without a mode says nothing.
      (nil, nil, 0o600, 0o600), (nil, 0o600, nil, 0o600), (0o644, nil, 0o644, 0o644),
      (0o644, nil, 0o600, 0o600), (nil, nil, nil, nil),
      // Without an agreement the zone counts.
      (nil, 0o600, 0o644, 0o644), (nil, 0o644, 0o600, 0o600),
      // An executable bit and a mode of two people make a valid mode.
      (0o640, 0o750, 0o600, 0o700), (0o750, 0o700, 0o640, 0o640),
    ] as [(UInt16?, UInt16?, UInt16?, UInt16?)])
  func `modes become one`(synced: UInt16?, local: UInt16?, remote: UInt16?, end: UInt16?) throws {
    var engine = ModelEngine(
      ModelTrees(
        synced: tree(Side(mode: synced)), local: tree(Side(mode: local)),
        remote: tree(Side(mode: remote))))
    try engine.run()
    for node in [engine.trees.localTree[recordID(1)], engine.trees.remoteTree[recordID(1)]] {
      let attributes = try #require(node?.attributes)
      #expect(attributes.mode == end)
      #expect(end == nil || attributes.isExecutable == (end.map { $0 & 0o100 != 0 } ?? false))
    }
    #expect(engine.conflicts == 0)
  }

  @Test(
    arguments: [
      (["a": 1], ["a": 2], ["a": 1], ["a": 2]), (["a": 1], ["a": 1], ["a": 2], ["a": 2]),
      (["a": 1], ["a": 2], ["a": 3], ["a": 3]), (["a": 1], [:], ["a": 1], [:]),
      (["a": 1], ["a": 1], [:], [:]),
      (["a": 1], ["a": 1, "b": 2], ["a": 1, "c": 3], ["a": 1, "b": 2, "c": 3]),
      (["a": 1, "b": 1], ["a": 1], ["b": 1], [:]), (nil, ["a": 1], ["b": 2], ["a": 1, "b": 2]),
      (nil, ["a": 1], nil, ["a": 1]), (nil, nil, ["a": 1], ["a": 1]), (nil, nil, nil, nil),
    ] as [([String: UInt8]?, [String: UInt8]?, [String: UInt8]?, [String: UInt8]?)])
  func `extended attributes become one, each by itself`(
    synced: [String: UInt8]?, local: [String: UInt8]?, remote: [String: UInt8]?,
    end: [String: UInt8]?
  ) throws {
    var engine = ModelEngine(
      ModelTrees(
        synced: tree(Side(tags: synced)), local: tree(Side(tags: local)),
        remote: tree(Side(tags: remote))))
    try engine.run()
    for node in [engine.trees.localTree[recordID(1)], engine.trees.remoteTree[recordID(1)]] {
      #expect(node?.attributes.extended == Side(tags: end).attributes.extended)
    }
  }

  @Test func `an index that was lost sends no mode of this device`() throws {
    var engine = ModelEngine(
      ModelTrees(
        synced: tree(nil), local: tree(Side(mode: 0o600)), remote: tree(Side(mode: 0o644))))
    try engine.run()
    #expect(engine.trees.remoteTree[recordID(1)]?.attributes.mode == 0o644)
  }
}
