// Every call to the disk and to the network fails once.
import Foundation
import Glibc
import HearthTesting
import Testing

@Suite("A call to the system that fails once")
struct FailingCallTests {
    /// Every so manieth call is tried; `HEARTH_EFFORT=1000` tries each one.
    private static var step: Int {
        let effort = ProcessInfo.processInfo.environment["HEARTH_EFFORT"].flatMap { Int($0) } ?? 1
        return max(1, 12 / max(1, effort))
    }

    private static func play(_ change: (inout Plan) -> Void) -> Record {
        Stage(seed: 11) { plan in
            plan.becomeQuiet(stepCount: 700)
            plan.checkpointBytes = 12_000
            plan.segmentBytes = 8_192
            change(&plan)
        }.play()
    }

    @Test("on the disk costs no promise; where the server stops it says why", arguments: [true, false])
    func disk(isFull: Bool) {
        let whole = FailingCallTests.play { _ in }
        #expect(whole.violation == nil && whole.crashCount == 0 && whole.diskCallCount > 40)
        var stopCount = 0
        var tried = 0
        for call in stride(from: 1, through: whole.diskCallCount, by: FailingCallTests.step) {
            let record = FailingCallTests.play { $0.diskFailures = [call: isFull] }
            stopCount += record.crashCount
            tried += 1
            if let violation = record.violation {
                print(record.story)
                Issue.record("call \(call) of \(whole.diskCallCount): \(violation)")
                return
            }
        }
        print("disk: \(tried) of \(whole.diskCallCount) calls failed (full: \(isFull)), \(stopCount) stops")
    }

    @Test(
        "on a socket costs no promise and no server",
        arguments: [EINTR, EAGAIN, ECONNRESET, EMFILE, EPIPE, Plan.short])
    func socket(error: Int32) {
        let whole = FailingCallTests.play { _ in }
        #expect(whole.socketCallCount > 200)
        var tried = 0
        for call in stride(from: 1, through: whole.socketCallCount, by: FailingCallTests.step) {
            let record = FailingCallTests.play { $0.socketFailures = [call: error] }
            tried += 1
            #expect(record.crashCount == 0)
            if let violation = record.violation {
                print(record.story)
                Issue.record("error \(error) in call \(call) of \(whole.socketCallCount): \(violation)")
                return
            }
        }
        print("network: \(tried) of \(whole.socketCallCount) calls failed with error \(error)")
    }
}
