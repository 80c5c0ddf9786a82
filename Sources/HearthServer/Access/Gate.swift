// Which requests are let in before anybody asks who they are from: this machine's programs, nobody else's
// pages.
import HearthWire

/// The checks on where a request comes from (architecture.md §6).
///
/// Without rules, and in emulator mode, everybody who reaches the server may do everything. So that a web
/// page cannot reach it through a browser on this machine, the host must be a loopback name, a page's
/// origin a loopback or an allowed one, and nothing may have been forwarded by a proxy.
struct Gate: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>

    init(_ configuration: Configuration) {
        hosts = Set(configuration.allowedHosts.map { $0.lowercased() })
        origins = Set(configuration.allowedOrigins.map { $0.lowercased() })
    }

    /// - Throws: 403 with what to do about it.
    func check(_ head: HTTPRequestHead, _ host: HostMeaning) throws(RESTError) {
        if !host.isAllowed {
            throw .notAllowed(
                """
                This server answers programs of its own machine only, so Host must be localhost or a \
                loopback address. Other names can be allowed with --allow-host.
                """)
        }
        if head.fields.value(of: .forwarded) != nil || head.fields.value(of: .xForwardedFor) != nil {
            throw .notAllowed(
                "This server answers programs of its own machine only, not those behind a proxy.")
        }
        guard let origin = Gate.origin(of: head) else { return }
        guard isAllowed(origin: origin) else {
            throw .notAllowed(
                "Pages of this origin may not use this server. They can be allowed with --allow-origin.")
        }
    }

    /// The origin of the page that asks, empty if it does not say so; nil if none of another site does.
    ///
    /// Scripts, by which SDKs poll, carry no `Origin`; the page stands in their `Referer` then, which no page
    /// can make up.
    private static func origin(of head: HTTPRequestHead) -> String? {
        if let origin = head.fields.value(of: .origin) { return head.fields.text(origin) }
        guard let site = head.fields.value(of: .secFetchSite), head.fields.equals("cross-site", in: site)
        else { return nil }
        let page = head.fields.value(of: .referer).map { head.fields.text($0) } ?? ""
        let parts = page.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count > 2 && parts[1].isEmpty ? "\(parts[0])//\(parts[2])" : ""
    }

    /// Whether requests may carry this host, which may have a port.
    func isAllowed(host text: String) -> Bool {
        let name = Gate.nameWithoutPort(text.lowercased())
        return Gate.isLoopback(name) || hosts.contains(name)
    }

    private func isAllowed(origin text: String) -> Bool {
        let origin = text.lowercased()
        if origins.contains(origin) { return true }
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            return Gate.isLoopback(Gate.nameWithoutPort(String(origin.dropFirst(scheme.count))))
        }
        return false
    }

    /// The name before a port; all of the text if what follows is none.
    private static func nameWithoutPort(_ text: String) -> String {
        let bracket = text.hasPrefix("[") ? text.firstIndex(of: "]") : nil
        let first = bracket.map { text.index(after: $0) } ?? text.firstIndex(of: ":")
        guard let end = first else { return text }
        let port = text[end...]
        let isPort = port.hasPrefix(":") && port.dropFirst().allSatisfy { ("0"..."9").contains($0) }
        return isPort || port.isEmpty ? String(text[..<end]) : text
    }

    /// `localhost` and names below it, which browsers never look up, 127.0.0.0/8 and ::1.
    private static func isLoopback(_ name: String) -> Bool {
        if name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
