import CairnCloud
import CairnControl
import CairnFolders
import Testing

@testable import CairnDaemon

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

  @Test func `a folder that is gone, and a log that can't be read on, are called so`() {
    for code: FolderError.Code in [.detached, .notFound] {
      #expect(phase(FolderError(code, [], "gone")) == .detached)
    }
    #expect(phase(cloud(.changeTokenExpired)) == .damaged)
    #expect(phase(cloud(.zoneBusy), isLogInTrouble: true) == .damaged)
    #expect(phase(cloud(.zoneBusy)) == .waiting)
    #expect(phase(cloud(.accountTemporarilyUnavailable)) == .sending)
  }
}
