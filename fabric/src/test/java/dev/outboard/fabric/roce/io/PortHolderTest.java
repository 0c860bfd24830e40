package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortHolderTest {
    @TempDir private Path root = Path.of("");

    @Test
    void namesTheProcessAndItsCommand() {
        try (UdpSocket socket = Loopback.bind()) {
            assertThat(PortHolder.of(socket.localAddress(), socket.localPort()))
                    .startsWith("process " + ProcessHandle.current().pid() + " (")
                    .contains("java");
        }
    }

    @Test
    void namesTheHolderOfAnIpv6Address() {
        try (UdpSocket socket = Loopback.bindIpv6()) {
            assertThat(PortHolder.of(socket.localAddress(), socket.localPort()))
                    .startsWith("process " + ProcessHandle.current().pid());
        }
    }

    @Test
    void saysThatNobodyHoldsAFreePort() {
        assertThat(PortHolder.of(Loopback.address(), 4791)).contains("ended since");
    }

    @Test
    @EnabledIf("isLittleEndian")
    void saysOfAHolderThatItCannotSeeWhoseItIs() throws IOException {
        table("net/udp", "0200007F:12B7 1000 41", "0300007F:12B7 0 42", "0400007F:12B8 0 43");
        process(71, "java", "socket:[40]", "socket:[410]", "pipe:[41]");
        Files.createFile(Files.createDirectories(root.resolve("proc/72")).resolve("fd"));

        assertThat(holder("127.0.0.2")).isEqualTo("a process of the user with ID 1000");
        assertThat(holder("127.0.0.3")).isEqualTo("a process of root or the kernel");
        assertThat(holder("127.0.0.4")).isEqualTo("a process that has ended since");
        assertThat(holder("::1")).isEqualTo("a process that has ended since");
    }

    @Test
    @EnabledIf("isLittleEndian")
    void namesTheModuleOfTheKernelWhenNoProcessHoldsThePort() throws IOException {
        table("net/udp", "0200007F:12B7 0 41", "0300007F:12B7 0 42");
        process(71, "java", "socket:[42]");
        Files.createDirectories(root.resolve("sys/module/rdma_rxe"));

        assertThat(holder("127.0.0.2")).isEqualTo("the kernel's rdma_rxe");
        assertThat(holder("127.0.0.3")).isEqualTo("process 71 (java)");
    }

    @Test
    @EnabledIf("isLittleEndian")
    void findsAnIpv6SocketThatKeepsIpv4FromThePort() throws IOException {
        table("net/udp", "0300007F:12B7 0 42");
        table("net/udp6", "00000000000000000000000000000000:12B7 7 41");

        assertThat(holder("127.0.0.2")).isEqualTo("a process of the user with ID 7");
    }

    @Test
    @EnabledIf("isLittleEndian")
    void cutsALongCommandShort() throws IOException {
        table("net/udp", "0200007F:12B7 0 41", "0300007F:12B7 0 42");
        process(71, "x".repeat(59) + "y", "socket:[41]");
        process(72, "x".repeat(59) + "yz", "socket:[42]");

        assertThat(holder("127.0.0.2")).isEqualTo("process 71 (" + "x".repeat(59) + "y)");
        assertThat(holder("127.0.0.3")).isEqualTo("process 72 (" + "x".repeat(59) + "y…)");
    }

    @Test
    @EnabledIf("isLittleEndian")
    void separatesTheWordsOfACommand() throws IOException {
        table("net/udp", "0200007F:12B7 0 41");
        process(71, "java\0-jar\0node.jar\0", "socket:[41]");

        assertThat(holder("127.0.0.2")).isEqualTo("process 71 (java -jar node.jar)");
    }

    @Test
    @EnabledIf("isLittleEndian")
    void namesTheProcessAloneWhenItsCommandCannotBeRead() throws IOException {
        table("net/udp", "0200007F:12B7 0 41");
        process(71, "java", "socket:[41]");
        Files.delete(root.resolve("proc/71/cmdline"));

        assertThat(holder("127.0.0.2")).isEqualTo("process 71");
    }

    @Test
    void doesNotKnowWhoItIsWhenTheTableCannotBeRead() throws IOException {
        Files.createDirectories(root.resolve("proc/net/udp"));

        assertThat(holder("127.0.0.2")).isEqualTo("somebody unknown");
    }

    /// What the kernel prints on a little-endian machine.
    @ParameterizedTest
    @CsvSource({
        "0200007F:12B7, 127.0.0.2, 4791, true",
        "0300007F:12B7, 127.0.0.2, 4791, false",
        "0200007F:12B8, 127.0.0.2, 4791, false",
        "00000000:12B7, 127.0.0.2, 4791, true",
        "00000000000000000000000000000000:12B7, 127.0.0.2, 4791, true",
        "0000000000000000FFFF00000200007F:12B7, 127.0.0.2, 4791, true",
        "0000000000000000FFFF00000300007F:12B7, 127.0.0.2, 4791, false",
        "00000000000000000000000001000000:12B7, ::1, 4791, true",
        "00000000000000000000000001000000:12B7, fd00::1, 4791, false",
        "000000FD000000000000000001000000:12B7, fd00::1, 4791, true",
    })
    @EnabledIf("isLittleEndian")
    void readsAddressesAsTheKernelPrintsThem(String bound, String local, int port, boolean expected)
            throws UnknownHostException {
        assertThat(PortHolder.covers(bound, InetAddress.getByName(local), port))
                .isEqualTo(expected);
    }

    private String holder(String local) {
        return PortHolder.of(root, InetAddress.ofLiteral(local), 4791);
    }

    /// Writes a table of sockets as the kernel does: local address, user and inode of each.
    private void table(String name, String... sockets) throws IOException {
        StringBuilder lines =
                new StringBuilder(
                        "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt"
                                + "   uid  timeout inode ref pointer drops\n");
        for (String socket : sockets) {
            String[] fields = socket.split(" ");
            lines.append(
                    " 6431: %s 00000000:0000 07 00000000:00000000 00:00000000 00000000 %5s        0 %s 2 0 0\n"
                            .formatted((Object[]) fields));
        }
        Path file = root.resolve("proc").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, lines);
    }

    private void process(int number, String command, String... files) throws IOException {
        Path process = root.resolve("proc/" + number);
        Path descriptors = Files.createDirectories(process.resolve("fd"));
        for (int i = 0; i < files.length; i++) {
            Files.createSymbolicLink(descriptors.resolve("" + i), Path.of(files[i]));
        }
        Files.writeString(process.resolve("cmdline"), command);
    }

    static boolean isLittleEndian() {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    }
}
