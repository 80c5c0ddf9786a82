// Addresses that links go on to.

/// An absolute address as far as it matters here: its scheme and its host. Source: accounts.md §8.
struct AbsoluteAddress {
    /// In lower case.
    let scheme: String
    /// In lower case, without a port; empty where the scheme has none.
    let host: String

    /// Takes an address apart; nil if it is not absolute, or has a character that no address has.
    init?(_ text: String) {
        guard text.utf8.count <= 4_096,
            text.utf8.allSatisfy({
                $0 > 0x20 && $0 < 0x7F && $0 != 0x5C && $0 != 0x22 && $0 != 0x3C && $0 != 0x3E
            }),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.first, first.isLetter,
            scheme.allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        else { return nil }
        self.scheme = scheme
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else {
            host = ""
            return
        }
        let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
        let name = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let bare = name.hasPrefix("[") ? name.prefix { $0 != "]" } + "]" : name.prefix { $0 != ":" }
        guard !bare.isEmpty, authority.utf8.firstIndex(of: UInt8(ascii: "@")) == nil else { return nil }
        host = bare.lowercased()
    }

    /// Whether a link of this server may go on there: a page of this machine, or of a host that the operator
    /// has named.
    func isAuthorized(by settings: AccountSettings) -> Bool {
        guard scheme == "http" || scheme == "https" else { return false }
        if ["localhost", "127.0.0.1", "[::1]"].contains(host) { return true }
        if let own = AbsoluteAddress(settings.publicBase), own.host == host { return true }
        if let page = settings.actionPage.flatMap(AbsoluteAddress.init), page.host == host { return true }
        return settings.authorizedDomains.contains { $0.lowercased() == host }
    }
}
