package dev.outboard.fabric;

/// One thing that was looked at, by [Fabric#diagnose] or in a capture: what was found, and what to
/// do about it. A value.
///
/// @param verdict whether it is in order
/// @param subject what was looked at, in a word or two
/// @param detail what was found
/// @param remedy what to do, one sentence; empty if there is nothing to do
public record Finding(Verdict verdict, String subject, String detail, String remedy) {
    /// How a finding bears on the device.
    public enum Verdict {
        /// In order.
        OK,
        /// Works, but slower or less than it could.
        WARN,
        /// The device cannot be opened, or reaches nobody.
        FAIL
    }

    /// `subject` is in order.
    public static Finding ok(String subject, String detail) {
        return new Finding(Verdict.OK, subject, detail, "");
    }

    /// `subject` works, but `remedy` would make it better.
    public static Finding warn(String subject, String detail, String remedy) {
        return new Finding(Verdict.WARN, subject, detail, remedy);
    }

    /// `subject` does not work until `remedy` is done.
    public static Finding fail(String subject, String detail, String remedy) {
        return new Finding(Verdict.FAIL, subject, detail, remedy);
    }
}
