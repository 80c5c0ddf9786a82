// The stories of the three sample chats: every step by its name, over HTTP and in a browser.
import Foundation
import Testing

/// A story that was played once to its end, and what it printed. One is played at a time: a browser wants a
/// machine for itself.
struct PlayedStory: Sendable {
    private static let stage = NSLock()

    private let lines: Result<[String], any Error>

    /// Plays a script against a server of its own.
    init(_ script: String, inBrowser: Bool) {
        lines = Result {
            try Self.stage.withLock {
                try withFolder { folder in
                    let browser = inBrowser ? [try Script.program("chromium")] : []
                    return try Script.run(script, [Script.hearth.path] + browser + [folder.path])
                }
            }
        }
    }

    /// Expects that a step was played and passed.
    func expectPassed(_ step: String, at location: SourceLocation = #_sourceLocation) throws {
        let lines = try lines.get()
        #expect(
            lines.contains("passed \(step)"), "the story printed:\n\(lines.joined(separator: "\n"))",
            sourceLocation: location)
    }
}

@Suite("The story of fire3chat", .serialized)
struct Fire3chatStoryTests {
    private static let script = PlayedStory("story_fire3chat.py", inBrowser: false)
    private static let page = PlayedStory("page_fire3chat.py", inBrowser: true)
    private static let steps = [
        "1. a name enters, and leaves its device token if there is one",
        "2. the list tells the old messages first, then each new one, in key order",
        "3. a text that is not empty is sent by an update with a push ID",
        "4. every message says who has sent it, so that own ones can be shown without a name",
        "5. a web page and a phone share the database and talk to each other",
        "6. tokens are kept for notifications to one or to all, and only the administrator reads them",
    ]

    @Test("passes over HTTP", arguments: Fire3chatStoryTests.steps)
    func http(step: String) throws {
        try Self.script.expectPassed(step)
    }

    @Test("passes in a browser", arguments: Fire3chatStoryTests.steps + PageSteps.all)
    func browser(step: String) throws {
        try Self.page.expectPassed(step)
    }
}

@Suite("The story of TChat", .serialized)
struct TChatStoryTests {
    private static let script = PlayedStory("story_tchat.py", inBrowser: false)
    private static let page = PlayedStory("page_tchat.py", inBrowser: true)
    private static let steps = [
        "1. three users register with a name and a password",
        "2. a taken name is refused, in whatever case",
        "3. a wrong password is refused, and no more is told than for a name that nobody has",
        "4. what is said to all is seen by all",
        "5. two go private, and the third sees none of it",
        "6. back to all, everybody is there again",
        "7. private messages are read by their two people alone, by no endpoint and no stream of others",
        "8. nobody speaks in another's name or changes what was said",
    ]

    @Test(
        "passes over HTTP",
        arguments: TChatStoryTests.steps + [
            "9. passwords lie nowhere in the clear",
            "10. the last 1,000 messages of a conversation come as one query",
            "11. its snapshot is data as the app writes it, read by who may",
        ])
    func http(step: String) throws {
        try Self.script.expectPassed(step)
    }

    @Test(
        "passes in a browser",
        arguments: TChatStoryTests.steps + [
            "9. a tab that is loaded again goes on, also over a restart of the server"
        ]
            + PageSteps.all)
    func browser(step: String) throws {
        try Self.page.expectPassed(step)
    }
}

@Suite("The story of the image chat", .serialized)
struct ImageChatStoryTests {
    private static let script = PlayedStory("story_image_chat.py", inBrowser: false)
    private static let page = PlayedStory("page_image_chat.py", inBrowser: true)
    private static let steps = [
        "1. registering takes a name, an e-mail address and a password, the last two required and all "
            + "checked",
        "2. logging in, and staying logged in over a restart of client and server",
        "3. a forgotten password: a mail with a code, a new password, the old one no longer works",
        "4. every message published to MyChannel reaches every listener, trimmed, under a true name and the "
            + "server's time",
        "5. own and others' messages can be told apart, and nobody sends in another's name",
        "6. own messages are edited and deleted, others see it at once, and nobody else's can be touched",
        "7. an image is stored by the server, bounded in size and type, read by members only, shown in the "
            + "list",
        "8. logging out: the listener ends, and the session is revoked",
    ]

    @Test(
        "passes over HTTP",
        arguments: ImageChatStoryTests.steps + [
            "9. its snapshot is data as the app writes it, read by who may"
        ])
    func http(step: String) throws {
        try Self.script.expectPassed(step)
    }

    @Test("passes in a browser", arguments: ImageChatStoryTests.steps + PageSteps.all)
    func browser(step: String) throws {
        try Self.page.expectPassed(step)
    }
}

/// What is expected of each page beside its story.
private enum PageSteps {
    static let all = [
        "what is sent is text, never a part of the page",
        "the page can be looked at, by day and by night, at a desk and on a phone",
    ]
}

@Suite("Hostile requests to a sample", .serialized)
struct HostileSampleTests {
    private static let script = PlayedStory("story_hostile.py", inBrowser: false)

    @Test(
        "are refused",
        arguments: [
            "path escapes out of the public directory", "path escapes out of the uploaded files",
            "oversized uploads, told and untold", "uploads that are not what they say",
            "an upload that breaks off leaves nothing", "an upload never acts as a page of the app",
            "edits of what another has said", "the third person, at every door",
        ])
    func refused(kind: String) throws {
        try Self.script.expectPassed(kind)
    }
}
