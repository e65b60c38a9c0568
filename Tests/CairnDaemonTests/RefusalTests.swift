import CairnControl
import CairnStore
import CairnZone
import Testing

@testable import CairnDaemon
@testable import CairnIdentity

@Suite struct RefusalTests {
  private let refused = CloudError(.permissionFailure, "only the owner may do it", remedy: "ask")

  @Test func `the refusal of a sharing rule names the folder, or the share`() {
    let path = Control.Path("/home/bob/B")
    let told = Failures.control(refused, about: .path(path))
    #expect(told.message == "/home/bob/B: Only the owner may do it." && told.path == path)
    let other = Failures.control(refused, about: .id("0123456789"))
    #expect(other.message == "The share 0123456789: Only the owner may do it.")
  }

  @Test func `a missing object that a person asked for has a remedy for people`() {
    let error = CloudError(Refusal(.unknownItem, nil, "The person isn't in the share."))
    let told = Failures.control(error, about: .id("0123456789"))
    #expect(told.remedy.contains("cairn share show") && told.message.contains("0123456789"))
  }

  @Test func `other errors, and errors with a path of their own, stay as they are`() {
    let path = Control.Path("/home/bob/B")
    let named = ControlError(.permissionFailure, "/x is read-only.", remedy: "Ask.", path: "/x")
    #expect(Failures.control(named, about: .path(path)) == named)
    let container = CloudError(StoreError(code: .denied, cause: "Permission denied."))
    #expect(Failures.control(container, about: .path(path)) == Failures.control(container))
    let other = CloudError(.zoneBusy, "others were first", remedy: "wait")
    #expect(Failures.control(other, about: .path(path)) == Failures.control(other))
    #expect(Failures.control(refused, about: nil) == Failures.control(refused))
  }
}
