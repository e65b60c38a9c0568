import CairnIdentity
import CairnZone

extension Content {
  /// Creates a content of these chunks; its id is computed.
  init(size: UInt64, chunks: [ChunkName]) {
    let names = chunks.flatMap(\.bytes)
    let id = ContentID(Crypto.digest("cairn content v1", Crypto.number(size), names))
    self.init(id: id, size: size, chunks: chunks)
  }
}
