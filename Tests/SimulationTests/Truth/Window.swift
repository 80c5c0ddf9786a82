// Some of a place's children, found in the plainest way.
import HearthCore

/// The first or the last children of a place, in some order.
struct Window: Sendable {
    enum Order: Sendable {
        case key
        /// By a number below each child; those without one come first, and equal ones by their keys.
        case child(String)
    }

    let order: Order
    let limit: Query.Limit

    /// What is in the window if this is the value of the place.
    func content(of value: Value) -> Value {
        let sorted = value.children.sorted { left, right in
            let (first, second) = (rank(of: left.value), rank(of: right.value))
            return first == second ? left.key < right.key : first < second
        }
        let kept =
            switch limit {
            case .first(let count): sorted.prefix(count)
            case .last(let count): sorted.suffix(count)
            }
        return kept.isEmpty
            ? .null : .object(Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) }))
    }

    private func rank(of child: Value) -> Int {
        guard case .child(let name) = order, case .number(let number) = child[name] else { return .min }
        return number
    }

    /// The same question to the server.
    var query: Query {
        switch order {
        case .key: Query(order: .key, limit: limit)
        case .child(let name): Query(order: .child(Path(place: [name])), limit: limit)
        }
    }
}

extension Path {
    /// The path of a place that the simulation names.
    init(place: [String]) {
        do throws(KeyError) {
            self = try Path(address(place))
        } catch {
            preconditionFailure("the simulation names places that can be named: \(error)")
        }
    }
}
