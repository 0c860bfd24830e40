package dev.outboard.dpa.debug.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.debug.Debugger;
import dev.outboard.dpa.debug.ProgramView;
import dev.outboard.dpa.elf.Clang;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.rv.BareRun;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who connects operates a program that would run for ever.
class GdbServerTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir private Path directory;

    /// What a visitor does.
    @FunctionalInterface
    private interface Visit {
        String make(Socket socket) throws IOException;
    }

    private String session(Visit visit) throws Exception {
        String source = ".globl _start\n_start: j _start\n";
        Path elf = Clang.bare(directory, "loop.s", source, List.of());
        ElfProgram program = ElfProgram.parse(Files.readAllBytes(elf));
        try (GdbServer server = GdbServer.listen(0)) {
            Callable<String> visitor =
                    () -> {
                        InetAddress here = InetAddress.getLoopbackAddress();
                        try (Socket socket = new Socket(here, server.port())) {
                            socket.setSoTimeout((int) PATIENCE.toMillis());
                            return visit.make(socket);
                        }
                    };
            FutureTask<String> visiting = new FutureTask<>(visitor);
            Thread.ofVirtual().start(visiting);
            Debugger debugger = new Debugger(new ProgramView(program), server);
            server.accept(debugger, PATIENCE);
            BareRun run = BareRun.of(program);
            run.follow(debugger);
            BareRun.Result result = run.run(Long.MAX_VALUE);
            assertThat(result.exitCode()).isEmpty();
            assertThat(result.crash()).isEmpty();
            assertThat(server.isEnded()).isTrue();
            return visiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static void send(Socket socket, String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String readTo(Socket socket, String end) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder text = new StringBuilder();
        while (text.indexOf(end) < 0) {
            int next = in.read();
            if (next < 0) {
                return text.append(" (end)").toString();
            }
            text.append((char) next);
        }
        return text.toString();
    }

    @Test
    void aProgramThatRunsIsInterrupted() throws Exception {
        String answers =
                session(socket -> {
                    send(socket, "$?#3f");
                    readTo(socket, "T05thread:1;#");
                    send(socket, "$c#63");
                    readTo(socket, "+");
                    send(socket, "\u0003");
                    String stopped = readTo(socket, ";#");
                    send(socket, "$c#63\u0003");
                    String again = readTo(socket, ";#");
                    send(socket, "$k#6b");
                    return stopped + again;
                });
        assertThat(answers).contains("T02thread:1;").containsPattern("T02.*T02");
    }

    @Test
    void aProgramEndsWhenItsVisitorHasGone() throws Exception {
        assertThat(session(socket -> "gone")).isEqualTo("gone");
    }

    @Test
    void whoeverDoesNotComeIsNotWaitedForLonger() throws Exception {
        String source = ".globl _start\n_start: j _start\n";
        Path elf = Clang.bare(directory, "loop.s", source, List.of());
        ElfProgram program = ElfProgram.parse(Files.readAllBytes(elf));
        try (GdbServer server = GdbServer.listen(0)) {
            Debugger debugger = new Debugger(new ProgramView(program), server);
            assertThatThrownBy(() -> server.accept(debugger, Duration.ofMillis(1)))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }
}
