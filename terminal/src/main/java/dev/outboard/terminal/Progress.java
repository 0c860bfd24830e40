package dev.outboard.terminal;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Optional;

/// How far one piece of long work is: a bar that redraws itself on a terminal, and a line per
/// quarter elsewhere. Owned by the thread that does the work; closing it ends the bar's line, also
/// when the work did not get to its end.
///
/// ```java
/// try (Progress progress = Progress.of("send", total, err)) {
///     while (sent < total) {
///         sent += sendSome();
///         progress.update(sent);
///     }
/// }
/// ```
public final class Progress implements AutoCloseable {
    private static final int BAR_WIDTH = 30;
    private static final int PLAIN_STEP_PERCENT = 25;

    private final String what;
    private final long total;
    private final PrintWriter out;
    private final boolean terminal;
    private int shownPercent;

    Progress(String what, long total, PrintWriter out, boolean terminal) {
        this.what = what;
        this.total = total;
        this.out = out;
        this.terminal = terminal;
        if (terminal) {
            draw(0);
        }
    }

    /// Work of `total` equal parts, shown on `out`.
    public static Progress of(String what, long total, PrintWriter out) {
        boolean terminal =
                Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
        return new Progress(what, total, out, terminal);
    }

    /// `done` of the parts are done. Cheap: writes only when there is something new to see.
    public void update(long done) {
        int percent = total == 0 ? 100 : (int) Math.clamp(done * 100.0 / total, 0, 100);
        int step = terminal ? 1 : PLAIN_STEP_PERCENT;
        if (percent / step > shownPercent / step) {
            shownPercent = percent;
            draw(percent);
        }
    }

    @Override
    public void close() {
        if (terminal) {
            out.println();
            out.flush();
        }
    }

    private void draw(int percent) {
        if (terminal) {
            int filled = percent * BAR_WIDTH / 100;
            out.printf(
                    "\r%-12s [%s%s] %3d %%",
                    what, "#".repeat(filled), "·".repeat(BAR_WIDTH - filled), percent);
        } else {
            out.printf("%s: %d %%%n", what, percent);
        }
        out.flush();
    }
}
