package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Does everything that a device does with sockets and prints who did it and what arrived.
final class UnprivilegedProgram {
    private UnprivilegedProgram() {}

    public static void main(String[] arguments) throws IOException {
        Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.matches("(Uid|CapEff|NoNewPrivs):.*"))
                .forEach(System.out::println);
        try (UdpSocket near = Loopback.bind();
                UdpSocket far = Loopback.bind()) {
            Transmitter transmitter = Transmitter.open(near, new Traffic.Listener());
            Receiver receiver = new Receiver(far, Policy.SOLVE);
            var path = Loopback.path(near, far);
            Payload payload = Traffic.payload(4096);
            for (int i = 0; i < 15; i++) {
                Traffic.send(transmitter, path, i, payload);
            }
            transmitter.flush(0);
            List<Traffic.Arrival> arrivals = Traffic.receive(far, receiver, 15);
            System.out.println("arrived: " + arrivals.size());
            System.out.println(
                    "calls: "
                            + transmitter.counters().get(TransmitCounter.CALLS)
                            + " "
                            + receiver.counters().get(ReceiveCounter.CALLS));
            System.out.println("port: " + far.localPort());
        }
    }
}
