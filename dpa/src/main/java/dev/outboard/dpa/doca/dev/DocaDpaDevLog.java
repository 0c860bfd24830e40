package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Messages.Level;

/// DPA-FXM-1: what device code tells people: `doca_dpa_dev_log.h`. Kernels and DPA threads call it.
/// Each line begins with its level and the rank of the thread, and goes where the host has
/// [said][dev.outboard.dpa.doca.DocaDpa#logPath], if its
/// [level][dev.outboard.dpa.doca.DocaDpa#logLevel] is important enough.
public final class DocaDpaDevLog {
    /// `DOCA_DPA_DEV_LOG_LEVEL_CRIT`: nothing works any more.
    public static final int CRIT = 20;

    /// `DOCA_DPA_DEV_LOG_LEVEL_ERROR`: something has failed.
    public static final int ERROR = 30;

    /// `DOCA_DPA_DEV_LOG_LEVEL_WARNING`: something may be wrong.
    public static final int WARNING = 40;

    /// `DOCA_DPA_DEV_LOG_LEVEL_INFO`: something has happened.
    public static final int INFO = 50;

    /// `DOCA_DPA_DEV_LOG_LEVEL_DEBUG`: for whoever looks for a mistake.
    public static final int DEBUG = 60;

    private DocaDpaDevLog() {}

    /// `doca_dpa_dev_log`, `DOCA_DPA_DEV_LOG_INFO` and the others: logs a line.
    ///
    /// @param level one of the constants
    /// @param format as of `printf`, see [DpaThread#print]; a line feed at its end need not be
    public static void log(DpaThread thread, int level, String format, long... arguments) {
        int rank = DocaDpaDev.threadRank(thread);
        thread.message(
                0,
                urgency(level),
                "%s rank %d: %s".formatted(name(level), rank, format),
                arguments);
    }

    /// As FlexIO has it. Nothing keeps back what is critical, unless nothing at all is logged.
    private static Level urgency(int level) {
        return switch (level) {
            case CRIT -> Level.ALWAYS;
            case ERROR -> Level.ERROR;
            case WARNING -> Level.WARN;
            case INFO -> Level.INFO;
            default -> Level.DEBUG;
        };
    }

    private static String name(int level) {
        return switch (level) {
            case CRIT -> "CRIT";
            case ERROR -> "ERROR";
            case WARNING -> "WARNING";
            case INFO -> "INFO";
            default -> "DEBUG";
        };
    }
}
