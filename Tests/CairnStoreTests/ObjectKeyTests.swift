import CairnStore
import Testing

@Test(arguments: [
  "container", "zones/7f-3/log/000/00000001", "a.b_c-9", String(repeating: "x", count: 255),
  "a/tmp", "tmpx", "tmp.x/tmp",
])
func `a key keeps its text`(_ text: String) throws {
  #expect(try key(text).description == text)
}

@Test(arguments: [
  "", "/", "a/", "/a", "a//b", ".", "..", "a/../b", "a/./b", ".hidden", "A", "ä", "a b", "a\n",
  "a\0",
  "tmp", "tmp/x", String(repeating: "x", count: 256),
  Array(repeating: "x", count: 17).joined(separator: "/"),
  Array(repeating: String(repeating: "x", count: 200), count: 6).joined(separator: "/"),
])
func `what no store could keep is no key`(_ text: String) {
  #expect(ObjectKey(text) == nil)
}

@Test func `errors tell what is worth trying again`() {
  let codes: [StoreError.Code] = [
    .notFound, .denied, .unreachable, .throttled, .corrupt, .full, .unsupported,
  ]
  let worth = codes.filter { StoreError(code: $0, cause: "x").isWorthRetrying }
  #expect(worth == [.unreachable, .throttled, .full])
}
