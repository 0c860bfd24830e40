package dev.outboard.dpa.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.testkit.Eventually;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The socket, its directory, and visitors that mean harm.
class WatchSocketTest {
    @TempDir Path parent;

    private Path directory() {
        return parent.resolve("watch");
    }

    private static SocketChannel visit(Watch watch) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(watch.socket()));
    }

    /// All that it answers.
    private static String ask(Watch watch, byte... request) throws IOException {
        try (SocketChannel visitor = visit(watch)) {
            ByteBuffer left = ByteBuffer.wrap(request);
            try {
                while (left.hasRemaining()) {
                    visitor.write(left);
                }
            } catch (IOException refused) {
                // Nobody reads that.
            }
            ByteBuffer answer = ByteBuffer.allocate(1 << 20);
            try {
                while (visitor.read(answer) >= 0) {
                    // More may come.
                }
            } catch (IOException refused) {
                // Or the end has come.
            }
            return new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
        }
    }

    private static String ask(Watch watch, String request) throws IOException {
        return ask(watch, request.getBytes(StandardCharsets.UTF_8));
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void onlyItsUserMayEnter() throws IOException {
        Path socket;
        try (Watch watch = Watch.open(directory())) {
            socket = watch.socket();
            assertThat(permissions(socket)).isEqualTo("rw-------");
            assertThat(permissions(directory())).isEqualTo("rwx------");
            assertThat(watch.isAllowed(Files.getOwner(socket))).isTrue();
            assertThat(watch.isAllowed(() -> "somebody else")).isFalse();
            Watch second = Watch.open(directory());
            assertThat(second.socket()).isEqualTo(socket);
            second.close();
            assertThat(ask(watch, "status\n")).startsWith("ok\n");
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().equals("watch of the DPA"))
                    .isNotEmpty()
                    .allMatch(Thread::isDaemon);
        }
        assertThat(socket).doesNotExist();
        assertThat(Watched.all(directory())).isEmpty();
        Watch again = Watch.open(directory());
        assertThat(again.socket()).isEqualTo(socket);
        again.close();
        again.close();
        assertThat(socket).doesNotExist();
    }

    @Test
    void aDirectoryThatOthersMayEnterIsRefused() throws IOException {
        Files.createDirectory(
                directory(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        assertThatThrownBy(() -> Watch.open(directory()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is no directory that only its user");
        assertThat(Watched.all(directory())).isEmpty();
        Path link = Files.createSymbolicLink(parent.resolve("link"), parent);
        assertThatThrownBy(() -> Watch.open(link)).isInstanceOf(IOException.class);
    }

    @Test
    void whatProcessesLeftThatAreGoneIsRemoved() throws IOException, InterruptedException {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        try (Watch watch = Watch.open(directory())) {
            Path left = Files.createFile(RuntimeDirectory.socket(directory(), gone.pid()));
            long parentPid = ProcessHandle.current().parent().orElseThrow().pid();
            Path silent = Files.createFile(RuntimeDirectory.socket(directory(), parentPid));
            Path other = Files.createFile(directory().resolve("notes"));
            assertThat(Watched.all(directory()))
                    .extracting(Watched::pid)
                    .containsExactly(RuntimeDirectory.pid(watch.socket()));
            assertThat(left).doesNotExist();
            assertThat(silent).exists();
            assertThat(other).exists();
        }
        // One of the own number that nobody listens at.
        Files.createFile(RuntimeDirectory.socket(directory(), ProcessHandle.current().pid()));
        try (Watch watch = Watch.open(directory())) {
            assertThat(ask(watch, "status\n")).startsWith("ok\n{");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n",
                "status \n",
                "Status\n",
                "trace\n",
                "trace x\n",
                "trace -1\n",
                "trace 1 2\n",
                "trace 99999999999999999999\n",
                "GET / HTTP/1.1\r\n\r\n"
            })
    void anUnknownRequestIsRefused(String request) throws IOException {
        try (Watch watch = Watch.open(directory())) {
            assertThat(ask(watch, request))
                    .isEqualTo("error valid are 'status' and 'trace NANOSECONDS'\n");
        }
    }

    @Test
    void garbageHarmsNothing() throws IOException {
        Random random = new Random(7);
        try (Watch watch = Watch.open(directory())) {
            for (int i = 0; i < 200; i++) {
                byte[] garbage = new byte[random.nextInt(3000)];
                random.nextBytes(garbage);
                // Without an end of a line the visitor says no more, as one that has gone.
                try (SocketChannel visitor = visit(watch)) {
                    visitor.write(ByteBuffer.wrap(garbage));
                } catch (IOException refused) {
                    // It was too long.
                }
            }
            Eventually.until(() -> answers(watch));
        }
    }

    private static boolean answers(Watch watch) {
        try {
            return ask(watch, "status\n").startsWith("ok\n");
        } catch (IOException e) {
            return false;
        }
    }

    /// Those that say nothing are sent away after some time, and those that are too many at once.
    @Test
    void silentVisitorsHarmNothing() throws IOException {
        List<SocketChannel> silent = new ArrayList<>();
        try (Watch watch = Watch.open(directory())) {
            for (int i = 0; i < Watch.MOST_VISITORS; i++) {
                silent.add(visit(watch));
                Objects.requireNonNull(silent.getLast()).write(ByteBuffer.wrap(new byte[] {'s'}));
            }
            Eventually.until(() -> !answers(watch));
            assertThat(watch.refused()).isPositive();
            for (SocketChannel visitor : silent) {
                assertThat(visitor.read(ByteBuffer.allocate(1))).isNegative();
            }
            Eventually.until(() -> answers(watch));
        } finally {
            for (SocketChannel visitor : silent) {
                visitor.close();
            }
        }
    }
}
