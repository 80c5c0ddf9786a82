// Drafts inside drafts: what is written below a place that is to be written as a whole.

extension Draft {
    /// The draft with another one at a place in it, which replaces what was to stand there.
    ///
    /// As in the tree: nothing below a leaf changes nothing, something below a leaf makes children of it.
    ///
    /// - Complexity: O(depth · log n + placeholders).
    func setting(_ other: Draft, at path: Path) -> Draft {
        guard !path.isRoot else { return other }
        if other.node.isEmpty, node.descendant(at: path).isEmpty { return self }
        var combined = self
        combined.node.set(other.node, at: path)
        combined.placeholders.removeAll { $0.isReplaced(by: path) }
        combined.placeholders += other.placeholders.map {
            Placeholder(path: path.appending($0.path), target: $0.target, serverValue: $0.serverValue)
        }
        // A place that has vanished with its last child is not filled in.
        combined.placeholders.removeAll { combined.node.descendant(at: $0.path).isEmpty }
        return combined
    }

    /// The draft with another priority at a place in it; where nothing stands, nothing changes.
    func settingPriority(_ priority: Placeholder.Resolution, at path: Path) -> Draft {
        let place = node.descendant(at: path)
        guard !place.isEmpty else { return self }
        let known: Priority = if case .known(let known) = priority { known } else { .none }
        var changed = self
        changed.node.set(place.settingPriority(known), at: path)
        changed.placeholders.removeAll { $0.path == path && $0.target == .priority }
        changed.placeholders = changed.placeholders.map { placeholder in
            guard placeholder.path == path, case .value = placeholder.target else { return placeholder }
            return Placeholder(
                path: path, target: .value(priority: known), serverValue: placeholder.serverValue)
        }
        if case .serverValue(let value) = priority {
            changed.placeholders.append(Placeholder(path: path, target: .priority, serverValue: value))
        }
        return changed
    }

    /// What is to stand at a child.
    func child(_ key: Key) -> Draft {
        let below = placeholders.filter { $0.path.keys.first == key }
        return Draft(
            node.child(key),
            placeholders: below.map {
                Placeholder(path: $0.path.dropping(1), target: $0.target, serverValue: $0.serverValue)
            })
    }
}

extension Draft.Placeholder {
    /// Whether something that is put at `place` takes this one's place: at or below it, or a leaf above it.
    fileprivate func isReplaced(by place: Path) -> Bool {
        if place.contains(path) { return true }
        guard case .value = target else { return false }
        return path.contains(place)
    }
}
