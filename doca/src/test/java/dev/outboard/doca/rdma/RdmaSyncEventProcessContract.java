package dev.outboard.doca.rdma;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HexFormat;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;

/// A sync event of another process, on every provider.
abstract class RdmaSyncEventProcessContract {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final HexFormat HEX = HexFormat.of();

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @Test
    @Requirement({"DTEST-2", "DSE-REM-1", "DRDMA-COM-20"})
    void wakesItsOwnerWhoCallsNothingButTheWait() throws IOException {
        try (RdmaEnd ours = new RdmaEnd(device())) {
            ours.rdma.start();
            ours.peer = ours.rdma.export();
            Process process = SyncEventOwner.start(device().uri(), ours.peer.details());
            try (RunningProgram owner = new RunningProgram("owner of the event", process)) {
                SyncEventRemoteNet event =
                        SyncEventRemoteNet.fromExport(ours.dev, printed(owner, "event"));
                ours.peer.connect(printed(owner, "details"));
                ours.progressUntil(() -> ours.rdma.state() == CtxState.RUNNING);

                ours.mmap.segment().set(ValueLayout.JAVA_LONG, 0, SyncEventOwner.FIRST);
                RdmaPairContract.assertSucceeds(
                        ours, ours.peer.allocSyncEventNotifySet(event, ours.dataAt(0, 8)));
                owner.awaitLine("first " + SyncEventOwner.FIRST, LIMIT);

                RdmaPairContract.assertSucceeds(
                        ours,
                        ours.peer.allocSyncEventNotifyAdd(
                                event, SyncEventOwner.LAST, ours.room(8, 8)));
                owner.awaitLine("last " + (SyncEventOwner.FIRST + SyncEventOwner.LAST), LIMIT);
            }
        }
    }

    private static byte[] printed(RunningProgram owner, String what) {
        Matcher line = owner.awaitLine(what + " ([0-9a-f]+)", LIMIT);
        return HEX.parseHex(line.group(1));
    }
}
