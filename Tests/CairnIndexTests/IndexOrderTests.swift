import Testing

@testable import CairnIndex

/// Exit tests, since the rule is one of assertions: each is a process of its own.
@Suite("The order of looks into index files")
struct IndexOrderTests {
  @Test("The innermost file is looked into last, and nothing is kept of a look that ended")
  func order() {
    IndexOrder.look(isInnermost: false) {
      IndexOrder.look(isInnermost: false) { IndexOrder.look(isInnermost: true) {} }
      IndexOrder.look(isInnermost: true) {}
    }
    IndexOrder.assertNoLook()
  }

  @Test("A look that fails is over, too")
  func failure() {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try IndexOrder.look(isInnermost: true) { throw Failure() }
    }
    IndexOrder.assertNoLook()
  }

  #if DEBUG
    @Test("Who has the innermost file and asks for another traps")
    func another() async {
      await #expect(processExitsWith: .failure) {
        IndexOrder.look(isInnermost: true) { IndexOrder.look(isInnermost: false) {} }
      }
    }

    @Test("Who looks into a file and waits for a zone traps")
    func zone() async {
      await #expect(processExitsWith: .failure) {
        IndexOrder.look(isInnermost: false) { IndexOrder.assertNoLook() }
      }
    }
  #endif
}
