// The words of mails: the operator's files, else the usual ones.
import HearthIdentity
import HearthStorage

/// Templates by kind and language, read at the start.
///
/// A folder of templates holds files such as `resetPassword.txt` or `resetPassword.de.txt`; the first line
/// is `Subject: …`, an empty line follows.
struct MailTemplates: Sendable {
    private var templates: [String: MailTemplate] = [:]

    /// - Throws: `StartFailure` for a folder that cannot be read or a file that is no template.
    init(directory: String?) throws(StartFailure) {
        guard let directory else { return }
        let disk = SystemDisk(directory)
        let names: [String]
        do {
            names = try disk.list()
        } catch {
            throw .configuration("cannot read the mail templates in \(directory): \(error)")
        }
        for name in names where name.hasSuffix(".txt") {
            let key = String(name.dropLast(4))
            let kind = key.prefix { $0 != "." }
            guard MailOrder.Kind(rawValue: String(kind)) != nil else {
                throw .configuration("\(disk.path(of: name)): no mail is called '\(kind)'")
            }
            let text = String(decoding: try SmallFile.read(disk.path(of: name)), as: UTF8.self)
            guard let template = MailTemplate(text: text) else {
                throw .configuration(
                    "\(disk.path(of: name)): the first line must be 'Subject: …', then an empty one")
            }
            templates[key] = template
        }
    }

    /// The words for a mail: in its language, else in the operator's usual one, else ours.
    func template(_ kind: MailOrder.Kind, _ language: String?) -> MailTemplate {
        let specific = language.flatMap { templates["\(kind.rawValue).\($0)"] }
        return specific ?? templates[kind.rawValue] ?? .usual(kind)
    }
}
