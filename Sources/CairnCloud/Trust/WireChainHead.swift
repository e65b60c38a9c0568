import CairnWire
import CairnZone
import FoundationEssentials

extension WireChainHead {
  init(_ chain: ChainHead) {
    self.init()
    length = chain.length
    head = .init(chain.head.bytes)
  }

  func chainHead() throws(FormatError) -> ChainHead {
    guard let head = Bytes32(head), length > 0 else {
      throw FormatError("commit", "the head of a chain is none")
    }
    return ChainHead(length: length, head: head)
  }
}
