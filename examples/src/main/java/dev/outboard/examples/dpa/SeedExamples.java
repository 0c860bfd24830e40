package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioWindow;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaFunction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/// Host code of the worked examples: each sets up what the kernels of [SeedKernels] need, calls
/// them, and gives what came of it.
///
/// ```java
/// try (HostProcess host = HostProcess.open();
///         FlexioProcess process = FlexioProcess.create(host, device, SeedKernelsStub.APP)) {
///     long sum = SeedExamples.heap(process); // 10
/// }
/// ```
public final class SeedExamples {
    private SeedExamples() {}

    /// An event handler on a completion queue: three messages come, 1, 2 and 3.
    ///
    /// @param asPrinted without the writeback
    /// @return what the handler has added up
    public static long eventHandler(FlexioProcess process, boolean asPrinted) {
        DpaFunction<DpaThread> function =
                asPrinted ? SeedKernelsStub.handleAsPrinted : SeedKernelsStub.handle;
        FlexioEventHandler handler =
                FlexioEventHandler.create(process, function, FlexioEventHandler.Attributes.DEFAULT);
        SeedQueues receiver = new SeedQueues(process, Optional.of(handler), Optional.empty());
        SeedQueues sender = new SeedQueues(process, Optional.empty(), Optional.empty());
        sender.pair.connect(receiver.pair);
        handler.run(receiver.context.value());
        for (int word = 1; word <= SeedKernels.MESSAGES; word++) {
            process.call(SeedKernelsStub.send(sender.context, word));
        }
        return process.call(SeedKernelsStub.worked(receiver.context));
    }

    /// A flag that an RPC takes, called twice.
    ///
    /// @return the results: 0 for the first call, 1 for the second
    public static long[] rpc(FlexioProcess process) {
        DpaAddr flag = process.heap().zeros(Long.BYTES);
        return new long[] {
            process.call(SeedKernelsStub.takeFlag(flag)),
            process.call(SeedKernelsStub.takeFlag(flag))
        };
    }

    /// A block of the heap that the host fills and an RPC reads.
    ///
    /// @return the sum of 1, 2, 3 and 4
    public static long heap(FlexioProcess process) {
        DpaAddr numbers = process.heap().copyFromHost(words(1, 2, 3, 4));
        return process.call(SeedKernelsStub.sum(numbers, 4));
    }

    /// A word of the host that an RPC sets through a window.
    ///
    /// @return what the host finds there: 0xff
    public static long window(FlexioProcess process) {
        FlexioBuffer variable = FlexioBuffer.create(process, "var", ExternalKind.HOST, Long.BYTES);
        FlexioMkey key =
                FlexioMkey.create(process.domain(), variable, 0, Long.BYTES, Access.LOCAL_WRITE);
        FlexioWindow window = FlexioWindow.create(process, process.domain());
        process.call(SeedKernelsStub.set(window.number(), key.number(), variable.address()));
        return variable.load64(0);
    }

    /// A message that an RPC sends through its outbox.
    ///
    /// @param asPrinted without the writeback
    /// @return the opcode of the completion, and what has come
    public static long[] outbox(FlexioProcess process, boolean asPrinted) {
        SeedQueues sender = new SeedQueues(process, Optional.empty(), Optional.empty());
        SeedQueues receiver = new SeedQueues(process, Optional.empty(), Optional.empty());
        sender.pair.connect(receiver.pair);
        long opcode =
                process.call(
                        asPrinted
                                ? SeedKernelsStub.sendAsPrinted(sender.context, 42)
                                : SeedKernelsStub.send(sender.context, 42));
        return new long[] {opcode, process.call(SeedKernelsStub.sum(receiver.buffers, 1))};
    }

    /// A send entry in memory of the host.
    ///
    /// @return the opcode of the completion, and what has come: 77
    public static long[] externalEntry(FlexioProcess process) {
        int ringBytes = SendEntry.BYTES << SeedKernels.LOG_ENTRIES;
        FlexioBuffer ring = FlexioBuffer.create(process, "ring", ExternalKind.HOST, ringBytes);
        FlexioMkey key =
                FlexioMkey.create(process.domain(), ring, 0, ringBytes, Access.LOCAL_WRITE);
        FlexioWindow window = FlexioWindow.create(process, process.domain());
        SeedQueues sender = new SeedQueues(process, Optional.empty(), Optional.of(ring.address()));
        SeedQueues receiver = new SeedQueues(process, Optional.empty(), Optional.empty());
        sender.pair.connect(receiver.pair);
        long opcode =
                process.call(
                        SeedKernelsStub.sendByWindow(
                                sender.context, window.number(), key.number(), ring.address()));
        return new long[] {opcode, process.call(SeedKernelsStub.sum(receiver.buffers, 1))};
    }

    /// A receive entry and the doorbell record: more messages than there were entries at first.
    ///
    /// @return how many have been sent
    public static long receiveEntry(FlexioProcess process) {
        SeedQueues sender = new SeedQueues(process, Optional.empty(), Optional.empty());
        SeedQueues receiver = new SeedQueues(process, Optional.empty(), Optional.empty());
        sender.pair.connect(receiver.pair);
        long sent = 0;
        for (int word = 0; word < SeedKernels.ENTRIES + 1; word++) {
            if (word == SeedKernels.ENTRIES) {
                process.call(SeedKernelsStub.postReceive(receiver.context));
            }
            sent += process.call(SeedKernelsStub.send(sender.context, word)) == 0 ? 1 : 0;
        }
        return sent;
    }

    /// A flag in memory of the host that a thread polls, and a peer sets.
    ///
    /// @return what the thread has found: 9
    public static long polledFlag(FlexioProcess process) {
        FlexioBuffer flag = FlexioBuffer.create(process, "flag", ExternalKind.HOST, Long.BYTES);
        FlexioMkey key =
                FlexioMkey.create(
                        process.domain(),
                        flag,
                        0,
                        Long.BYTES,
                        Access.LOCAL_WRITE,
                        Access.REMOTE_WRITE);
        FlexioWindow window = FlexioWindow.create(process, process.domain());
        SeedQueues peer = new SeedQueues(process, Optional.empty(), Optional.empty());
        peer.pair.connect(peer.pair);
        process.call(SeedKernelsStub.writeFlag(peer.context, flag.address(), key.number(), 9));
        return process.call(
                SeedKernelsStub.awaitFlag(window.number(), key.number(), flag.address()));
    }

    /// Two threads: one stores data and then a flag, the other waits for the flag.
    ///
    /// @return what the second one has found: 5
    public static long publication(FlexioProcess process) {
        FlexioEventHandler second =
                FlexioEventHandler.create(
                        process, SeedKernelsStub.consume, FlexioEventHandler.Attributes.DEFAULT);
        SeedQueues event = new SeedQueues(process, Optional.of(second), Optional.empty());
        SeedQueues sender = new SeedQueues(process, Optional.empty(), Optional.empty());
        sender.pair.connect(event.pair);
        DpaAddr words = process.heap().zeros(4 * Long.BYTES);
        second.run(words.value());
        process.call(SeedKernelsStub.send(sender.context, 1));
        process.call(SeedKernelsStub.publish(words.plus(8), words, 5));
        return process.call(SeedKernelsStub.consumed(words));
    }

    private static byte[] words(long... words) {
        ByteBuffer bytes =
                ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : words) {
            bytes.putLong(word);
        }
        return bytes.array();
    }
}
