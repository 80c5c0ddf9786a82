// Reading back what is durable, for replay to streams and for other readers of the log.

/// Reads the records that were durable when it was made.
///
/// Segments that are released meanwhile are noticed, never misread: their records are then `.missing`.
public struct JournalReader: Sendable {
    let disk: any Disk
    let spans: [SegmentSpan]
    let durable: Position

    /// The records from `position` on, in order; about `byteLimit` bytes, but at least one if there is one.
    ///
    /// - Throws: `.missing` if they were released, `.damaged` if they are not sound any more.
    public func read(from position: Position, byteLimit: Int) throws(StorageFailure) -> [PlacedRecord] {
        guard position <= durable else { return [] }
        guard let index = spans.firstIndex(where: { $0.first <= position && position <= $0.last }) else {
            throw missing(position)
        }
        var found: [PlacedRecord] = []
        var left = byteLimit
        for span in spans[index...] where left > 0 {
            do {
                try read(span, from: position, into: &found, left: &left)
            } catch {
                throw try isReleased(span) ? missing(position) : error
            }
        }
        return found
    }

    private func missing(_ position: Position) -> StorageFailure {
        StorageFailure(
            .missing, action: "read", place: disk.location, reason: "record \(position) was released")
    }

    /// Whether what went wrong is explained by the segment being used for something else by now.
    private func isReleased(_ span: SegmentSpan) throws(StorageFailure) -> Bool {
        try !disk.list().contains(FileName.numbered(.journal, span.segment))
    }

    private func read(
        _ span: SegmentSpan, from position: Position, into found: inout [PlacedRecord], left: inout Int
    ) throws(StorageFailure) {
        var reader = try SegmentReader(span.segment, on: disk)
        var offset = SegmentHeader.byteCount
        var next = span.first
        while next <= span.last && left > 0 {
            guard let header = try reader.header(at: offset), header.first == next else {
                throw damage(reader.path, offset)
            }
            if header.first + Position(header.recordCount) > position {
                guard case .batch(let batch) = try reader.batch(at: offset) else {
                    throw damage(reader.path, offset)
                }
                try decode(batch, reader.path, from: position, into: &found, left: &left)
            }
            next += Position(header.recordCount)
            offset += header.byteCount
        }
    }

    private func decode(
        _ batch: SegmentReader.FoundBatch, _ path: String, from position: Position,
        into found: inout [PlacedRecord], left: inout Int
    ) throws(StorageFailure) {
        var next = batch.header.first
        for (index, range) in batch.records.enumerated() {
            defer { next += 1 }
            guard next >= position, next <= durable, left > 0 else { continue }
            found.append(PlacedRecord(position: next, record: try batch.record(index, of: path)))
            left -= range.count
        }
    }

    private func damage(_ path: String, _ offset: Int) -> StorageFailure {
        DecodingFault.malformed(.checksum, offset: offset).failure(reading: path)
    }
}
