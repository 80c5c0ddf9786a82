// What must hold inside a node, checked by tests and on demand.

extension Node {
    /// What is wrong inside this node or one below it, nil if nothing is: for tests and for checks on
    /// demand.
    ///
    /// - Complexity: O(size).
    public func invariantViolation() -> String? {
        if hasPriority, priority == .none { return "a priority is kept that is none" }
        if case .packed(let record) = storage { return record.violation }
        guard let page else { return nil }
        if !hasPriority, page.record != nil { return "a small object is not packed" }
        if page.size == 0 { return "a node with children has none" }
        if page.height > 0, page.size == 1 { return "the root page has a single page below it" }
        return page.violation(lower: nil, upper: nil, isAtRightEdge: true, isRoot: true)
    }
}

extension Page {
    fileprivate func violation(lower: Key?, upper: Key?, isAtRightEdge: Bool, isRoot: Bool) -> String? {
        if size > limit { return "a page of height \(height) has \(size) items" }
        if size == 0 { return "a page of height \(height) is empty" }
        if size < floor, !isRoot, !isAtRightEdge {
            return "a page of height \(height) has only \(size) items"
        }
        if height > 0, packed != nil || !entries.isEmpty { return "a page has both entries and slots" }
        if height == 0, !slots.isEmpty { return "a page has both entries and slots" }
        return height == 0
            ? entryViolation(lower: lower, upper: upper)
            : slotViolation(lower: lower, upper: upper, isAtRightEdge: isAtRightEdge)
    }

    private func entryViolation(lower: Key?, upper: Key?) -> String? {
        if let packed {
            if !entries.isEmpty { return "a page has both text and entries" }
            if packed.bytes.count > PackedChildren.byteLimit { return "a page has too long a text" }
            if let violation = packed.violation { return violation }
        }
        var sum = Tally()
        var bound = lower
        var mayEqual = true
        for entry in packed?.entries ?? entries {
            if let bound, mayEqual ? entry.key < bound : entry.key <= bound {
                return "key \(entry.key) is out of order"
            }
            if let upper, entry.key >= upper { return "key \(entry.key) is beyond its page" }
            if entry.node.isEmpty { return "the child \(entry.key) is empty" }
            if let violation = entry.node.invariantViolation() { return "\(entry.key): \(violation)" }
            sum += Tally(entry)
            bound = entry.key
            mayEqual = false
        }
        if let packed { sum = Tally(packed) }
        return sum == tally ? nil : "a page counts \(tally), but has \(sum)"
    }

    private func slotViolation(lower: Key?, upper: Key?, isAtRightEdge: Bool) -> String? {
        var sum = Tally()
        for (index, slot) in slots.enumerated() {
            if slot.page.height != height - 1 { return "a page lies at the wrong height" }
            let low = index == 0 ? lower : slot.lower
            let high = index + 1 < slots.count ? slots[index + 1].lower : upper
            if let low, let high, low >= high { return "the bound \(low) is out of order" }
            let isLast = index == slots.count - 1
            if let violation = slot.page.violation(
                lower: low, upper: high, isAtRightEdge: isAtRightEdge && isLast, isRoot: false)
            {
                return violation
            }
            sum += slot.page.tally
        }
        return sum == tally ? nil : "a page counts \(tally), but has \(sum) below"
    }
}

extension PackedRecord {
    /// The text is what is made anew of all that is read in it.
    fileprivate var violation: String? {
        if count > PackedText.recordLimit { return "a packed object has \(count) bytes" }
        if childCount == 0 { return "a packed object is empty" }
        guard let again = PackedChildren(entries) else { return "a packed object cannot be packed" }
        let isSame = withText { $0.dropFirst().dropLast().elementsEqual(again.bytes) }
        guard isSame else { return "the text of a packed object is not canonical" }
        return entries.indices.lazy.compactMap { index in
            index > 0 && entries[index - 1].key >= entries[index].key
                ? "key \(entries[index].key) is out of order" : entries[index].node.invariantViolation()
        }.first
    }
}

extension PackedChildren {
    fileprivate var violation: String? {
        guard let again = PackedChildren(entries) else { return "a packed page cannot be packed" }
        if again.bytes != bytes { return "the text of a page is not canonical" }
        let isSame = zip(marks, again.marks).allSatisfy {
            $0.word == $1.word && $0.value == $1.value && $0.end == $1.end
        }
        return isSame ? nil : "the marks of a page do not fit its text"
    }
}
