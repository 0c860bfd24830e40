package dev.outboard.examples.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.ReceiveTask;
import dev.outboard.doca.rdma.SendTask;
import java.time.Duration;
import java.util.Locale;

/// Two processes send each other 64 bytes, in turn.
public final class PingPong {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int ROUNDS = 2_000;
    private static final int BYTES = 64;

    private PingPong() {}

    public static void main(String[] words) throws Exception {
        Exchange.run(
                PingPong.class,
                words,
                (exchange, _) -> play(exchange, false),
                (exchange, _) -> play(exchange, true));
    }

    private static void play(Exchange exchange, boolean begins) throws Exception {
        try (DocaDev dev = DocaDev.open(exchange.device());
                Mmap memory =
                        Mmap.builder()
                                .device(dev)
                                .memrange(2 * BYTES)
                                .permissions(AccessFlag.LOCAL_READ_WRITE)
                                .build()
                                .start();
                BufInventory inventory = BufInventory.create(2).start();
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(dev)) {
            rdma.receive(1).send(1).attach(engine).start();
            RdmaConnection peer = rdma.export();
            peer.connect(exchange.swap(peer.details()));
            engine.progressUntil(() -> rdma.state() == CtxState.RUNNING, LIMIT);

            Buf ball = inventory.byData(memory, 0, BYTES);
            Buf hand = inventory.byAddress(memory, BYTES, BYTES);
            SendTask send = peer.allocSend(ball);
            ReceiveTask receive = rdma.allocReceive(hand);
            receive.submitOrThrow();
            exchange.meet();

            long start = System.nanoTime();
            for (int round = 1; round <= ROUNDS; round++) {
                if (begins) {
                    send.submitOrThrow();
                }
                receive.awaitSuccess(LIMIT);
                if (round < ROUNDS) {
                    hand.resetDataLen();
                    receive.submitOrThrow();
                }
                if (!begins) {
                    send.submitOrThrow();
                }
                send.awaitSuccess(LIMIT);
            }
            if (begins) {
                double micros = (System.nanoTime() - start) / 1e3 / ROUNDS;
                System.out.printf(
                        Locale.ROOT,
                        "%d rounds of %d bytes, %.1f us each%n",
                        ROUNDS,
                        hand.dataLen(),
                        micros);
            }

            exchange.meet();
            send.free();
            receive.free();
            ball.release();
            hand.release();
        }
    }
}
