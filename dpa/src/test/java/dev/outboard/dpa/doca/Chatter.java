package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDevLog;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Kernels that log.
@DpaProgram("chatter")
final class Chatter {
    private Chatter() {}

    /// A line of each level.
    @DpaGlobal
    static void logs(DpaThread thread, DpaAddr text, long value) {
        DocaDpaDevLog.log(thread, DocaDpaDevLog.CRIT, "%s is %#lx\n", text.value(), value);
        DocaDpaDevLog.log(thread, DocaDpaDevLog.ERROR, "100%% of %ld", -value);
        DocaDpaDevLog.log(thread, DocaDpaDevLog.WARNING, "warned");
        DocaDpaDevLog.log(thread, DocaDpaDevLog.INFO, "informed");
        DocaDpaDevLog.log(thread, DocaDpaDevLog.DEBUG, "debugged");
        thread.print("printed");
    }
}
