package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaDevInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;

/// An end in a process of its own: prints its connection details and the export of its memory,
/// connects to the details it reads, prints `connected`, and does nothing more until it is killed
/// or its input ends.
final class RdmaPeerProgram {
    private RdmaPeerProgram() {}

    /// Starts it, on a device that `uri` names.
    static Process start(String uri) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RdmaPeerProgram.class.getName(),
                        uri)
                .start();
    }

    static void main(String[] args) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        HexFormat hex = HexFormat.of();
        try (RdmaEnd end = new RdmaEnd(DocaDevInfo.of(args[0]))) {
            end.fill(2);
            end.rdma.start();
            RdmaConnection peer = end.rdma.export();
            System.out.println("details " + hex.formatHex(peer.details()));
            System.out.println("memory " + hex.formatHex(end.mmap.exportRdma(end.dev)));
            peer.connect(hex.parseHex(in.readLine()));
            end.progressUntil(() -> peer.state() == RdmaState.CONNECTED);
            System.out.println("connected");
            in.readLine();
        }
    }
}
