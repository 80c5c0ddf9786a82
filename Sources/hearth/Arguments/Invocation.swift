// One call of a command: what was given, and the world it is called in.

/// A command with its arguments, the environment and the terminal.
struct Invocation: Sendable {
    let command: Command
    let arguments: ParsedArguments
    /// The environment variables that the program looks at.
    let environment: [String: String]
    let console: Console

    /// The operand at `index`, nil if it was left out.
    func operand(_ index: Int) -> String? {
        index < arguments.operands.count ? arguments.operands[index] : nil
    }

    /// The operand at `index`, which the parser has made sure of.
    func requiredOperand(_ index: Int) -> String {
        precondition(!command.operands[index].isOptional, "operand \(index) of \(command.name) is optional")
        return arguments.operands[index]
    }

    /// Whether a flag was given.
    func has(_ option: Option) -> Bool { !values(of: option).isEmpty }

    /// The value of an option, nil if it was not given.
    func value(of option: Option) -> String? { values(of: option).first }

    /// All values of an option that may be repeated, in the order given.
    func values(of option: Option) -> [String] {
        precondition(command.options.contains(option), "\(command.name) does not declare \(option.spelling)")
        return arguments.values[option.name] ?? []
    }

    /// A value that has to be a whole number in `range`.
    func integer(of option: Option, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        guard let text = value(of: option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
            throw .misused("\(option.spelling) must be a whole number, \(bounds), not '\(text)'")
        }
        return number
    }
}
