package dev.outboard.ccip.rtl;

/// A design in SystemVerilog that cannot be built or run, or a machine that lacks the tools for it.
/// The message names the file and the line, or the tool, and says what to do.
public final class RtlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// What is wrong.
    public enum Reason {
        /// Verilator or a C++ compiler is missing, too old, or does not work.
        TOOL,
        /// A file that was named is missing, cannot be read, or does not say what it has to.
        INPUT,
        /// A compiler refuses the design.
        COMPILE,
        /// The top module has other ports than those of CCI-P.
        PORT,
        /// The model cannot be loaded into this JVM.
        LOAD,
        /// The design ended its own simulation, with `$fatal` for example.
        ENDED
    }

    private final Reason reason;

    RtlException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    RtlException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /// What is wrong.
    public Reason reason() {
        return reason;
    }
}
