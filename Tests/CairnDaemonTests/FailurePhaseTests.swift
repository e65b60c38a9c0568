import CairnControl
import CairnFolders
import CairnStore
import Testing

@testable import CairnDaemon
@testable import CairnIdentity

@Suite struct FailurePhaseTests {
  private struct Other: Error {}

  private func phase(_ error: any Error, isLogInTrouble: Bool = false) -> Control.Phase {
    Control.Phase(of: error, isLogInTrouble: isLogInTrouble)
  }

  private func cloud(_ code: CloudError.Code) -> CloudError {
    CloudError(code, "what happened", remedy: "what to do")
  }

  @Test func `only a container that can't be reached is called offline`() {
    for code in CloudError.Code.allCases {
      let isAway = code == .networkUnavailable || code == .networkFailure
      #expect((phase(cloud(code)) == .offline) == isAway, "\(code)")
    }
    #expect(phase(Other()) == .waiting)
    #expect(phase(FolderError(.full, [], "the disk is full")) == .waiting)
  }

  @Test func `a missing folder, and a log that can't be read further, have phases of their own`() {
    for code: FolderError.Code in [.detached, .notFound] {
      #expect(phase(FolderError(code, [], "gone")) == .detached)
    }
    #expect(phase(cloud(.changeTokenExpired)) == .damaged)
    #expect(phase(cloud(.zoneBusy), isLogInTrouble: true) == .damaged)
    #expect(phase(cloud(.zoneBusy)) == .waiting)
    #expect(phase(cloud(.accountTemporarilyUnavailable)) == .sending)
  }

  @Test func `a container that denies access, or is another one, is not called damaged`() {
    for code: StoreError.Code in [.denied, .full] {
      let error = CloudError(StoreError(code: code, cause: "Permission denied."))
      #expect(phase(error) == .waiting)
      #expect(phase(error, isLogInTrouble: true) == .damaged)
    }
    #expect(phase(cloud(.badContainer)) == .waiting)
    #expect(phase(cloud(.permissionFailure)) == .damaged)
    #expect(phase(cloud(.assetNotAvailable)) == .damaged)
  }
}
