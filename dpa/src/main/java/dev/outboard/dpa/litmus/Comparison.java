package dev.outboard.dpa.litmus;

/// How two values are compared, as unsigned numbers.
public enum Comparison {
    /// Equal.
    EQUAL("=="),
    /// Not equal.
    NOT_EQUAL("!="),
    /// Greater or equal.
    AT_LEAST(">=");

    private final String sign;

    Comparison(String sign) {
        this.sign = sign;
    }

    /// The sign of the text form.
    public String sign() {
        return sign;
    }

    /// Whether it holds.
    public boolean test(long left, long right) {
        return switch (this) {
            case EQUAL -> left == right;
            case NOT_EQUAL -> left != right;
            case AT_LEAST -> Long.compareUnsigned(left, right) >= 0;
        };
    }
}
