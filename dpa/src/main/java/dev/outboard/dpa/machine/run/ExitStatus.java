package dev.outboard.dpa.machine.run;

/// DPA-FXP-3: exit statuses of a process that has ended itself.
public final class ExitStatus {
    /// DPA-FXE-9: it has finished.
    public static final int FINISHED = 0x40;

    /// DPA-FXM-3: an error whose code is none of a program.
    private static final int UNKNOWN = 0x42;

    private static final int FIRST_OF_PROGRAM = 128;
    private static final int LAST_OF_PROGRAM = 255;

    private ExitStatus() {}

    /// DPA-FXM-3: the status of an error that the program tells of.
    public static int ofProgram(int code) {
        return code >= FIRST_OF_PROGRAM && code <= LAST_OF_PROGRAM ? code : UNKNOWN;
    }
}
