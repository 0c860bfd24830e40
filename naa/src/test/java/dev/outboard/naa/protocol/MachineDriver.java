package dev.outboard.naa.protocol;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.naa.MrspMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Plays the queue pair of one [Machine]: takes what it posts, and completes it at the test's will.
public final class MachineDriver {
    /// A posted send or WRITE.
    record Posted(
            long id,
            SendRequest.Operation operation,
            long length,
            long remoteAddress,
            int remoteKey,
            int immediate,
            boolean solicited) {}

    private static final ConnectionId NO_ID =
            (ConnectionId)
                    Proxy.newProxyInstance(
                            ConnectionId.class.getClassLoader(),
                            new Class<?>[] {ConnectionId.class},
                            (_, _, _) -> null);

    final Machine machine;
    final List<String> order = new ArrayList<>();
    final List<Posted> sends = new ArrayList<>();
    final List<ReceiveRequest> receives = new ArrayList<>();
    private final List<Posted> unanswered = new ArrayList<>();
    public long now = 1_000;
    private final Completion completion = new Completion();

    MachineDriver(Machine machine) {
        this.machine = machine;
    }

    /// Takes everything that the machine emits.
    ///
    /// @return what it sends
    List<Posted> take() {
        List<Posted> taken = new ArrayList<>(unanswered);
        unanswered.clear();
        ReceiveRequest receive = new ReceiveRequest();
        while (machine.nextReceive(receive)) {
            order.add("receive");
            receives.add(receive);
            receive = new ReceiveRequest();
        }
        SendRequest send = new SendRequest();
        while (machine.nextSend(send)) {
            order.add(send.operation().toString());
            taken.add(
                    new Posted(
                            send.id(),
                            send.operation(),
                            send.gather().count() == 0 ? 0 : send.gather().length(0),
                            send.remoteAddress(),
                            send.remoteKey(),
                            send.immediate(),
                            send.solicited()));
        }
        sends.addAll(taken);
        return taken;
    }

    /// Takes over the receives; what is sent stays for [#take].
    void pull() {
        unanswered.addAll(take());
    }

    void sendCompletes(Posted posted) {
        CompletionOpcode opcode =
                posted.operation() == SendRequest.Operation.SEND
                        ? CompletionOpcode.SEND
                        : CompletionOpcode.RDMA_WRITE;
        complete(posted.id(), CompletionStatus.SUCCESS, opcode, posted.length(), false, 0);
    }

    /// The peer's message arrives in the oldest receive.
    void messageArrives(MrspMessage message) {
        ReceiveRequest receive = receives.getFirst();
        MemoryRegion buffer = receive.scatter().region(0);
        bytesArrive(
                MrspCodec.encode(message, buffer.segment().asSlice(receive.scatter().offset(0))));
    }

    /// These bytes arrive in the oldest receive.
    void bytesArrive(byte[] bytes) {
        ReceiveRequest receive = receives.getFirst();
        MemorySegment buffer =
                receive.scatter().region(0).segment().asSlice(receive.scatter().offset(0));
        MemorySegment.copy(bytes, 0, buffer, ValueLayout.JAVA_BYTE, 0, bytes.length);
        bytesArrive(bytes.length);
    }

    /// A message of `length` bytes arrives, whose content the test has put there.
    void bytesArrive(long length) {
        complete(
                receives.removeFirst().id(),
                CompletionStatus.SUCCESS,
                CompletionOpcode.RECEIVE,
                length,
                false,
                0);
    }

    void immediateArrives(int immediate, long byteCount) {
        complete(
                receives.removeFirst().id(),
                CompletionStatus.SUCCESS,
                CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE,
                byteCount,
                true,
                immediate);
    }

    /// Something completes that no machine posts.
    void foreignCompletes() {
        complete(0, CompletionStatus.SUCCESS, CompletionOpcode.RDMA_READ, 0, false, 0);
    }

    void fails(CompletionStatus status) {
        complete(0, status, CompletionOpcode.SEND, 0, false, 0);
    }

    private void complete(
            long id,
            CompletionStatus status,
            CompletionOpcode opcode,
            long bytes,
            boolean hasImmediate,
            int immediate) {
        completion.set(id, status, opcode, 1, bytes);
        if (hasImmediate) {
            completion.setImmediate(immediate);
        }
        machine.completed(completion, now);
    }

    static ConnectionEvent event(ConnectionEvent.Type type) {
        return event(type, 0, "", new byte[0]);
    }

    static ConnectionEvent event(
            ConnectionEvent.Type type, int status, String explanation, byte[] privateData) {
        return new ConnectionEvent(
                type,
                NO_ID,
                Optional.empty(),
                status,
                explanation,
                new ConnectionParameters(1, 1, 7, 6, privateData));
    }
}
