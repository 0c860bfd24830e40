package dev.outboard.node.datapath;

import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioMsix;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.naa.Dialect;
import java.time.Duration;

/// A host program on the simulated NIC of a process: its queues lie in its own memory, and it posts
/// the WRITEs of a call to them, as the NAA protocol has them. One call may be outstanding.
final class SimulatedClient {
    private static final int LINE = 64;
    private static final int LOG_ENTRIES = 4;
    private static final int LOG_COMPLETIONS = 5;

    private static final long COMPLETION_RING = 0;
    private static final long SEND_RING = COMPLETION_RING + (LINE << LOG_COMPLETIONS);
    private static final long RECEIVE_RING = SEND_RING + (LINE << LOG_ENTRIES);
    private static final long CONSUMER = RECEIVE_RING + ((long) DataSegment.BYTES << LOG_ENTRIES);
    private static final long PRODUCER = CONSUMER + LINE;
    private static final long PLACE = PRODUCER + LINE;
    private static final long BYTES = PLACE + LINE;

    private final FlexioProcess process;
    private final FlexioMsix interrupt;
    private final FlexioQp pair;
    private final long base;
    private final int key;
    private int sent;
    private int posted;
    private long taken;

    /// A region, at whichever end.
    record Region(long address, int key, long bytes) {}

    SimulatedClient(FlexioProcess process) {
        this.process = process;
        FlexioBuffer memory =
                FlexioBuffer.create(process, "queues of the client", ExternalKind.HOST, BYTES);
        DpaAddr at = memory.address();
        base = at.value();
        key = FlexioMkey.create(process.domain(), memory, 0, BYTES, Access.LOCAL_WRITE).number();
        interrupt = FlexioMsix.create(process);
        FlexioCq completions =
                FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(
                                        at.plus(COMPLETION_RING),
                                        LOG_COMPLETIONS,
                                        at.plus(CONSUMER))
                                .with(Arming.ALWAYS)
                                .interrupting(interrupt));
        pair =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(at.plus(SEND_RING), LOG_ENTRIES, completions),
                                new FlexioQp.Receive(
                                        at.plus(RECEIVE_RING),
                                        LOG_ENTRIES,
                                        at.plus(PRODUCER),
                                        completions),
                                0));
        pair.purpose("the client");
    }

    FlexioQp pair() {
        return pair;
    }

    /// Calls a function: writes each input to its counterpart, and waits for the answer.
    ///
    /// @param from the inputs, of which there is at least one
    /// @param to their counterparts
    /// @param limit of virtual time
    /// @return the return code, or -1 if no answer came in time
    int call(int function, Region[] from, Region[] to, Duration limit) {
        process.onHost(host -> {
            postReceive(host);
            for (int i = 0; i < from.length; i++) {
                boolean isLast = i == from.length - 1;
                postWrite(host, from[i], to[i], isLast ? function : 0);
            }
            return sent;
        });
        pair.ring(sent);
        int answer = -1;
        while (answer < 0 && interrupt.await(limit)) {
            answer = process.onHost(this::take);
        }
        return answer;
    }

    private void postReceive(MemoryAccess host) {
        int slot = posted & ((1 << LOG_ENTRIES) - 1);
        DataSegment.write(
                host,
                base + RECEIVE_RING + (long) slot * DataSegment.BYTES,
                LINE,
                key,
                base + PLACE);
        DoorbellRecord.setProducerIndex(host, base + PRODUCER, ++posted);
    }

    private void postWrite(MemoryAccess host, Region from, Region to, int function) {
        long entry = base + SEND_RING + (long) (sent & ((1 << LOG_ENTRIES) - 1)) * LINE;
        SendEntry.writeControl(
                host,
                entry,
                sent,
                function == 0 ? SendEntry.RDMA_WRITE : SendEntry.RDMA_WRITE_IMMEDIATE,
                pair.number(),
                3,
                SendEntry.COMPLETE_ALWAYS);
        SendEntry.writeImmediate(host, entry, Dialect.UPSTREAM_2026.requestImmediate(function, 0));
        SendEntry.writeRemote(host, entry + SendEntry.SEGMENT_BYTES, to.address, to.key);
        DataSegment.write(
                host,
                entry + 2 * SendEntry.SEGMENT_BYTES,
                (int) from.bytes,
                from.key,
                from.address);
        sent++;
    }

    /// Takes what has completed.
    ///
    /// @return the code of an answer, or -1 if none has come
    private int take(MemoryAccess host) {
        int answer = -1;
        while (CompletionEntry.isReady(host, entry(), taken, LOG_COMPLETIONS)) {
            int opcode = CompletionEntry.opcode(host, entry());
            if (opcode == CompletionEntry.RECEIVED_WRITE_IMMEDIATE) {
                answer = Dialect.UPSTREAM_2026.returnCode(CompletionEntry.immediate(host, entry()));
            } else if (opcode != CompletionEntry.REQUEST) {
                throw new IllegalStateException(
                        "an entry of the client's queue pair ended with opcode 0x%x, syndrome 0x%x"
                                .formatted(opcode, CompletionEntry.syndrome(host, entry())));
            }
            taken++;
        }
        DoorbellRecord.setConsumerIndex(host, base + CONSUMER, (int) taken);
        return answer;
    }

    private long entry() {
        return base + COMPLETION_RING + (taken & ((1 << LOG_COMPLETIONS) - 1)) * LINE;
    }
}
