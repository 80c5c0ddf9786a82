// Which paths can mean a public file at all.
import Testing

@testable import HearthServer

@Suite("A path to a public file")
struct PublicPathTests {
    private func file(_ path: String) -> String? {
        PublicPath(encoded: Array(path.utf8)[...])?.file
    }

    @Test(
        "is taken apart, then decoded",
        arguments: [
            ("/", "index.html"), ("/a.html", "a.html"), ("/a/", "a/index.html"), ("/a/b.css", "a/b.css"),
            ("/logo%20small.png", "logo small.png"), ("/%C3%A4.txt", "ä.txt"), ("/a+b.txt", "a+b.txt"),
            ("/a%252e.txt", "a%2e.txt"), ("/~ann/a..b", "~ann/a..b"), ("/\\..\\a", "\\..\\a"),
        ])
    func decoded(path: String, name: String) {
        #expect(file(path) == name)
    }

    @Test(
        "never leads up, aside or to a hidden file",
        arguments: [
            "/..", "/../etc/passwd", "/a/../b", "/%2e%2e/etc/passwd", "/%2e%2E%2fetc/passwd", "/a/%2e%2e/b",
            "/..%2fetc", "/.", "/./a", "/%2e/a", "/.git/config", "/a/.env", "/%2egit/config", "/.%2e/a",
            "/a%2fb", "/%2fetc/passwd", "//etc/passwd", "/a//b", "/a%00.html", "/a%0a", "/a%7f", "/%",
            "/%zz", "/%ff", "/a%c0%ae%c0%ae/b", "", "a", "*",
        ])
    func refused(path: String) {
        #expect(file(path) == nil)
    }

    @Test("has no step longer than a file's name can be")
    func length() {
        #expect(file("/" + String(repeating: "a", count: 255)) != nil)
        #expect(file("/" + String(repeating: "a", count: 256)) == nil)
    }

    @Test(
        "is written anew as the address of a directory, which is never another host",
        arguments: [
            ("/a", "/a/"), ("/a%20b/c", "/a%20b/c/"), ("/%5Cevil.example", "/%5Cevil.example/"),
            ("/%22%3e", "/%22%3E/"),
        ])
    func address(path: String, address: String) {
        #expect(PublicPath(encoded: Array(path.utf8)[...])?.directoryAddress == address)
    }
}
