// The members of a small object, put into key order.

extension RecordScan {
    /// Puts the members from `first` on, which end with the closing brace, into key order; false if two have
    /// the same key.
    func sort(from first: Int) -> Bool {
        let members = room.members
        var isSorted = true
        var index = first &+ 1
        while index < memberCount {
            switch order(members[index &- 1], members[index]) {
            case .ascending: break
            case .same: return false
            case .descending: isSorted = false
            }
            index &+= 1
        }
        if isSorted { return true }
        let start = members[first].start
        room.spare.copyMemory(from: room.output + start, byteCount: count &- 1 &- start)
        guard order(from: first, shift: room.spare - room.output &- start) else { return false }
        putBack(from: first, start: start)
        return true
    }

    /// Orders the members, which are few, by inserting one after the other.
    private func order(from first: Int, shift: Int) -> Bool {
        let members = room.members
        var index = first &+ 1
        while index < memberCount {
            let member = members[index]
            var place = index
            while place > first {
                let order = order(members[place &- 1], member, shift: shift)
                if order == .same { return false }
                if order == .ascending { break }
                members[place] = members[place &- 1]
                place &-= 1
            }
            members[place] = member
            index &+= 1
        }
        return true
    }

    /// Writes the members in their order, from the copy of what began at `start`.
    private func putBack(from first: Int, start: Int) {
        var target = start
        var index = first
        while index < memberCount {
            let member = room.members[index]
            if index > first {
                room.output.storeBytes(of: UInt8(ascii: ","), toByteOffset: target, as: UInt8.self)
                target &+= 1
            }
            (room.output + target).copyMemory(
                from: room.spare + (member.start &- start), byteCount: member.end &- member.start)
            target &+= member.end &- member.start
            index &+= 1
        }
    }

    /// The order of two keys, which stand in the output as many bytes further on as `shift` says.
    @inline(__always)
    private func order(
        _ left: RecordScanner.Member, _ right: RecordScanner.Member, shift: Int = 0
    ) -> Ordering {
        if left.word != right.word, left.word != 0, right.word != 0 {
            return left.word < right.word ? .ascending : .descending
        }
        return Ordering(PackedText.key(key(left, shift)), PackedText.key(key(right, shift)))
    }

    private func key(_ member: RecordScanner.Member, _ shift: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: room.output + (member.start &+ 1 &+ shift), count: member.keyEnd &- member.start &- 1)
    }
}
