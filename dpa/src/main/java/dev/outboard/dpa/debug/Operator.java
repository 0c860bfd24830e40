package dev.outboard.dpa.debug;

/// Who operates a [Debugger]. It is called by the thread that runs the program.
public interface Operator {
    /// Stops nothing.
    Operator NONE =
            new Operator() {
                @Override
                public Resume stopped(Stop stop) {
                    return Resume.GO;
                }

                @Override
                public boolean interrupts() {
                    return false;
                }
            };

    /// The program stands still until this returns. Meanwhile the debugger may be asked and told
    /// anything.
    ///
    /// @return how the program goes on
    Resume stopped(Stop stop);

    /// Whether the program is to stop though nothing has happened; asked every
    /// [Debugger#INSTRUCTIONS_BETWEEN_LOOKS] instructions.
    boolean interrupts();
}
