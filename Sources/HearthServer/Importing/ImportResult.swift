// A snapshot that was read whole, and where it is kept until it is committed.
import HearthCore
import HearthJSON
import HearthStorage
import HearthWire

/// A snapshot ready to be committed.
struct ImportResult: Sendable {
    let node: Node
    /// The synced file that holds it, if it is large.
    let file: BulkFileClaim?

    /// Ends the reading and puts a large snapshot on the disk. Blocks; for a worker.
    static func make(
        _ reading: ImportReading, _ order: ImportOrder, _ services: Services
    ) -> Result<ImportResult, RESTError> {
        do throws(RESTError) {
            let (draft, text) = try reading.result()
            var file: BulkFileClaim?
            do throws(RESTError) {
                guard draft.placeholders.isEmpty else { throw .importOfServerValues }
                guard order.mode != .merge || draft.node.hasChildren else { throw .importMergesNothing }
                if let text { file = try finish(text, services) }
            } catch {
                if let text { services.remove(text) }
                throw error
            }
            if file == nil, !order.isDryRun { file = try LargeWrite.keep(draft.node, services) }
            return .success(ImportResult(node: draft.node, file: file))
        } catch {
            return .failure(error)
        }
    }

    private static func finish(_ text: BulkText, _ services: Services) throws(RESTError) -> BulkFileClaim {
        var text = text
        do throws(StorageFailure) {
            return BulkFileClaim(try text.finish(), services)
        } catch {
            throw services.refusal(after: error)
        }
    }

    /// The write that the snapshot is.
    func write(_ order: ImportOrder) -> Write {
        guard order.mode == .merge else { return .set(order.path, Draft(node)) }
        return .update(order.path, node.children().map { (Path([$0.key]), Draft($0.node)) })
    }

    /// What the client is told: how much was read, and how many children the snapshot has.
    func json(byteCount: Int, isDryRun: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("status")
        writer.string("ok")
        writer.key("bytes")
        writer.integer(Int64(byteCount))
        writer.key("children")
        writer.integer(Int64(node.childCount))
        writer.key("dryRun")
        writer.bool(isDryRun)
        writer.endObject()
        return writer.take()
    }
}

extension RESTError {
    /// An import that may not replace anything, where something stands.
    static var importOverData: RESTError {
        RESTError(
            status: 412,
            text: "There is data at this location already; import with mode=merge or mode=replace.")
    }

    /// A snapshot is what it is.
    static var importOfServerValues: RESTError {
        RESTError(status: 400, text: "A snapshot must not hold server values (.sv); write them with PUT.")
    }

    /// A merge needs children.
    static var importMergesNothing: RESTError {
        RESTError(status: 400, text: "A snapshot that is merged must be an object with at least one member.")
    }
}
