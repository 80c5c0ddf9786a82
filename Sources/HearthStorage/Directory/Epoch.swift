// New epochs: the part of cursors that changes when history is cut.

/// Makes epochs.
public enum Epoch {
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Eight random letters and digits: one chance in 2·10^14 to meet an earlier one.
    public static func fresh(using random: inout some RandomNumberGenerator) -> String {
        String((0..<8).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }
}
