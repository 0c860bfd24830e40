package dev.outboard.doca.rdma;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.fabric.Device;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// An end in a process of its own, for [PeerProcess]: prints its connection details, or the port it
/// listens to, and the export of its memory; then does what the lines that it reads say, one after
/// the other, and nothing between them, until it is killed or its input ends.
final class RdmaPeerProgram {
    static final String LISTEN = "listen";
    static final byte[] REPLY = {1, 2, 3};

    private final RdmaEnd end;
    private final ConnectionNotes notes = new ConnectionNotes();
    private RdmaConnection peer;

    private RdmaPeerProgram(RdmaEnd end) {
        this.end = end;
        notes.answer = connection -> peer = connection;
    }

    static void main(String... args) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (RdmaEnd end = new RdmaEnd(DocaDevInfo.of(args[0]))) {
            end.fill(2);
            RdmaPeerProgram program = new RdmaPeerProgram(end);
            program.start(args.length > 1 && args[1].equals(LISTEN));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                IO.println(program.did(words[0], words.length > 1 ? words[1] : ""));
            }
        }
    }

    private void start(boolean listens) {
        if (listens) {
            end.rdma.onConnection(notes).start();
            RdmaAddress address = end.address(end.rdma.listen(0));
            IO.println("listens " + address.address().getHostAddress() + " " + address.port());
        } else {
            end.rdma.start();
            peer = end.rdma.export();
            IO.println("details " + HexFormat.of().formatHex(peer.details()));
        }
        IO.println("memory " + HexFormat.of().formatHex(end.mmap.exportRdma(end.dev)));
    }

    /// Does what `command` says.
    ///
    /// @return what it has done
    private String did(String command, String operand) {
        switch (command) {
            case "connect" -> {
                peer.connect(HexFormat.of().parseHex(operand));
                end.progressUntil(() -> end.rdma.state() == CtxState.RUNNING);
            }
            case "accept" -> {
                end.progressUntil(() -> !notes.requested.isEmpty());
                peer.accept(REPLY);
                end.progressUntil(() -> !notes.established.isEmpty());
            }
            case "ask" -> {
                String[] where = operand.split(":");
                end.rdma.connectTo(RdmaAddress.ipv4(where[0], Integer.parseInt(where[1])), null);
                end.progressUntil(() -> device().counters().get("sent.packets") > 0);
            }
            case "reject" -> {
                end.progressUntil(() -> !notes.requested.isEmpty());
                peer.reject();
            }
            case "disconnect" -> {
                peer.disconnect();
                end.progressUntil(() -> !notes.disconnected.isEmpty());
            }
            case "lose" -> end.progressUntil(() -> !notes.disconnected.isEmpty());
            case "echo" -> {
                return "echo " + echo();
            }
            case "forget" -> end.mmap.stop();
            case "stop" -> {
                end.rdma.stop();
                end.progressUntil(() -> end.rdma.state() == CtxState.IDLE);
            }
            default -> throw new IllegalArgumentException(command);
        }
        return command + " done";
    }

    private Device device() {
        return end.dev.protectionDomain().device();
    }

    /// Receives a message and sends it back.
    private String echo() {
        ReceiveTask receive = end.rdma.allocReceive(end.room(0, 64));
        receive.submitOrThrow();
        end.next();
        SendTask send = receive.connection().allocSend(receive.dst());
        RdmaPairContract.assertSucceeds(end, send);
        return receive.resultLength() + " bytes";
    }
}
