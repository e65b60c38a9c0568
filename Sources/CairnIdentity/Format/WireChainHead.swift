import CairnWire
import CairnZone
import FoundationEssentials

extension WireChainHead {
  /// Creates the stored form of the head of a chain.
  public init(_ chain: ChainHead) {
    self.init()
    length = chain.length
    head = .init(chain.head.bytes)
  }

  /// The head of a chain.
  /// - Throws: `FormatError` if it names no entry.
  public func chainHead() throws(FormatError) -> ChainHead {
    guard let head = Bytes32(head), length > 0 else {
      throw FormatError("commit", "the head of a chain is none")
    }
    return ChainHead(length: length, head: head)
  }
}
