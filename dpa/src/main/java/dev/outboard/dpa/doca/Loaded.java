package dev.outboard.dpa.doca;

import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioWindow;

/// The program of a started context: its process, and the outbox and the window that all threads of
/// the runtime share.
record Loaded(FlexioProcess process, int outbox, int window) {
    static Loaded of(FlexioProcess process) {
        return new Loaded(
                process,
                FlexioOutbox.create(process, process.uar()).number(),
                FlexioWindow.create(process, process.domain()).number());
    }
}
