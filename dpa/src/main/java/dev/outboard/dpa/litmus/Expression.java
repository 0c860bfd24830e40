package dev.outboard.dpa.litmus;

import java.util.function.ToLongFunction;

/// A value that an actor computes from its own registers; 64 bits, and wraps around.
public sealed interface Expression {
    /// A number.
    record Constant(long value) implements Expression {}

    /// A register of the actor; 0 at the start.
    record Register(Place place, String name) implements Expression {}

    /// Two values combined, the left one first.
    record Combination(Expression left, Operator operator, Expression right)
            implements Expression {}

    /// What combines two values.
    enum Operator {
        /// Sum.
        PLUS("+"),
        /// Difference.
        MINUS("-"),
        /// Bitwise and.
        AND("&"),
        /// Bitwise or.
        OR("|"),
        /// Bitwise exclusive or.
        XOR("^");

        private final String sign;

        Operator(String sign) {
            this.sign = sign;
        }

        /// The sign of the text form.
        public String sign() {
            return sign;
        }

        /// The combined value.
        public long apply(long left, long right) {
            return switch (this) {
                case PLUS -> left + right;
                case MINUS -> left - right;
                case AND -> left & right;
                case OR -> left | right;
                case XOR -> left ^ right;
            };
        }
    }

    /// Its value, given the values of the registers.
    default long evaluate(ToLongFunction<String> registers) {
        return switch (this) {
            case Constant constant -> constant.value();
            case Register register -> registers.applyAsLong(register.name());
            case Combination c ->
                    c.operator().apply(c.left().evaluate(registers), c.right().evaluate(registers));
        };
    }
}
