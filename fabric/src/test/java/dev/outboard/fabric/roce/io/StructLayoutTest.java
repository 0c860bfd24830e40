package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.fabric.linux.Cmsghdr;
import dev.outboard.fabric.linux.Errno;
import dev.outboard.fabric.linux.EventFd;
import dev.outboard.fabric.linux.Iovec;
import dev.outboard.fabric.linux.MappingArena;
import dev.outboard.fabric.linux.Msghdr;
import dev.outboard.fabric.linux.Pollfd;
import dev.outboard.fabric.linux.SockaddrIn;
import dev.outboard.fabric.linux.SockaddrIn6;
import dev.outboard.fabric.linux.Timespec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Asks the C compiler of this machine whether the struct mirrors and the constants are right.
class StructLayoutTest {
    private static final long COMPILER_SECONDS = 60;

    private static final String HEADERS =
            """
            #define _GNU_SOURCE
            #include <errno.h>
            #include <netinet/in.h>
            #include <netinet/udp.h>
            #include <poll.h>
            #include <stddef.h>
            #include <stdio.h>
            #include <sys/eventfd.h>
            #include <sys/mman.h>
            #include <sys/socket.h>
            #include <time.h>
            #include <linux/net_tstamp.h>
            """;

    @Test
    void structsAndConstantsAreThoseOfTheCCompiler(@TempDir Path directory) throws Exception {
        assumeTrue(isCompilerThere(), "gcc is not installed: struct layouts stay unchecked");
        Map<String, Long> ours = layouts();
        ours.putAll(constants());

        assertThat(compileAndRun(directory, ours.keySet().stream().toList())).isEqualTo(ours);
    }

    private static Map<String, Long> layouts() {
        Map<String, Long> layouts = new LinkedHashMap<>();
        layouts.put("sizeof(struct iovec)", Iovec.SIZE);
        layouts.put("offsetof(struct iovec, iov_base)", Iovec.BASE);
        layouts.put("offsetof(struct iovec, iov_len)", Iovec.LENGTH);
        layouts.put("sizeof(struct msghdr)", Msghdr.SIZE);
        layouts.put("offsetof(struct msghdr, msg_name)", Msghdr.NAME);
        layouts.put("offsetof(struct msghdr, msg_namelen)", Msghdr.NAME_LENGTH);
        layouts.put("offsetof(struct msghdr, msg_iov)", Msghdr.IOVECS);
        layouts.put("offsetof(struct msghdr, msg_iovlen)", Msghdr.IOVEC_COUNT);
        layouts.put("offsetof(struct msghdr, msg_control)", Msghdr.CONTROL);
        layouts.put("offsetof(struct msghdr, msg_controllen)", Msghdr.CONTROL_LENGTH);
        layouts.put("sizeof(struct cmsghdr)", Cmsghdr.SIZE);
        layouts.put("offsetof(struct cmsghdr, cmsg_len)", Cmsghdr.LENGTH);
        layouts.put("offsetof(struct cmsghdr, cmsg_level)", Cmsghdr.LEVEL);
        layouts.put("offsetof(struct cmsghdr, cmsg_type)", Cmsghdr.TYPE);
        layouts.put("CMSG_LEN(0)", Cmsghdr.DATA);
        layouts.put("CMSG_SPACE(2)", Cmsghdr.space(2));
        layouts.put("CMSG_SPACE(8)", Cmsghdr.space(8));
        layouts.put("CMSG_SPACE(9)", Cmsghdr.space(9));
        layouts.put("sizeof(struct sockaddr_in)", SockaddrIn.SIZE);
        layouts.put("offsetof(struct sockaddr_in, sin_family)", SockaddrIn.FAMILY);
        layouts.put("offsetof(struct sockaddr_in, sin_port)", SockaddrIn.PORT);
        layouts.put("offsetof(struct sockaddr_in, sin_addr)", SockaddrIn.ADDRESS);
        layouts.put("sizeof(struct sockaddr_in6)", SockaddrIn6.SIZE);
        layouts.put("offsetof(struct sockaddr_in6, sin6_family)", SockaddrIn6.FAMILY);
        layouts.put("offsetof(struct sockaddr_in6, sin6_port)", SockaddrIn6.PORT);
        layouts.put("offsetof(struct sockaddr_in6, sin6_flowinfo)", SockaddrIn6.FLOW_INFORMATION);
        layouts.put("offsetof(struct sockaddr_in6, sin6_addr)", SockaddrIn6.ADDRESS);
        layouts.put("offsetof(struct sockaddr_in6, sin6_scope_id)", SockaddrIn6.SCOPE);
        layouts.put("sizeof(struct pollfd)", Pollfd.SIZE);
        layouts.put("offsetof(struct pollfd, fd)", Pollfd.FD);
        layouts.put("offsetof(struct pollfd, events)", Pollfd.EVENTS);
        layouts.put("offsetof(struct pollfd, revents)", Pollfd.RETURNED_EVENTS);
        layouts.put("sizeof(struct timespec)", Timespec.SIZE);
        layouts.put("offsetof(struct timespec, tv_sec)", Timespec.SECONDS);
        layouts.put("offsetof(struct timespec, tv_nsec)", Timespec.NANOSECONDS);
        return layouts;
    }

    private static Map<String, Long> constants() {
        Map<String, Integer> constants = new LinkedHashMap<>();
        constants.put("AF_INET", (int) SockaddrIn.AF_INET);
        constants.put("AF_INET6", (int) SockaddrIn6.AF_INET6);
        constants.put("SOCK_DGRAM", UdpSocket.SOCK_DGRAM);
        constants.put("SOCK_NONBLOCK", UdpSocket.SOCK_NONBLOCK);
        constants.put("SOCK_CLOEXEC", UdpSocket.SOCK_CLOEXEC);
        constants.put("MSG_ERRQUEUE", UdpSocket.MSG_ERRQUEUE);
        constants.put("SOL_SOCKET", UdpSocket.SOL_SOCKET);
        constants.put("SO_SNDBUF", UdpSocket.SO_SNDBUF);
        constants.put("SO_RCVBUF", UdpSocket.SO_RCVBUF);
        constants.put("SO_NO_CHECK", UdpSocket.SO_NO_CHECK);
        constants.put("SO_TIMESTAMPING", UdpSocket.SO_TIMESTAMPING);
        constants.put("SO_RXQ_OVFL", UdpSocket.SO_RXQ_OVFL);
        constants.put("IPPROTO_IP", UdpSocket.IPPROTO_IP);
        constants.put("IP_TOS", UdpSocket.IP_TOS);
        constants.put("IP_MTU_DISCOVER", UdpSocket.IP_MTU_DISCOVER);
        constants.put("IP_PMTUDISC_DO", UdpSocket.IP_PMTUDISC_DO);
        constants.put("IP_PMTUDISC_PROBE", UdpSocket.IP_PMTUDISC_PROBE);
        constants.put("IP_RECVTOS", UdpSocket.IP_RECVTOS);
        constants.put("IPPROTO_IPV6", UdpSocket.IPPROTO_IPV6);
        constants.put("IPV6_MTU_DISCOVER", UdpSocket.IPV6_MTU_DISCOVER);
        constants.put("IPV6_PMTUDISC_DO", UdpSocket.IP_PMTUDISC_DO);
        constants.put("IPV6_PMTUDISC_PROBE", UdpSocket.IP_PMTUDISC_PROBE);
        constants.put("IPV6_V6ONLY", UdpSocket.IPV6_V6ONLY);
        constants.put("IPV6_RECVTCLASS", UdpSocket.IPV6_RECVTCLASS);
        constants.put("IPV6_TCLASS", UdpSocket.IPV6_TCLASS);
        constants.put("IPPROTO_UDP", UdpSocket.SOL_UDP);
        constants.put("UDP_NO_CHECK6_RX", UdpSocket.UDP_NO_CHECK6_RX);
        constants.put("UDP_SEGMENT", UdpSocket.UDP_SEGMENT);
        constants.put("UDP_GRO", UdpSocket.UDP_GRO);
        constants.put("EFD_NONBLOCK", EventFd.EFD_NONBLOCK);
        constants.put("EFD_CLOEXEC", EventFd.EFD_CLOEXEC);
        constants.put("PROT_READ", MappingArena.PROT_READ);
        constants.put("PROT_WRITE", MappingArena.PROT_WRITE);
        constants.put("MAP_PRIVATE", MappingArena.MAP_PRIVATE);
        constants.put("MAP_ANONYMOUS", MappingArena.MAP_ANONYMOUS);
        constants.put("MAP_POPULATE", MappingArena.MAP_POPULATE);
        constants.put("POLLIN", (int) Pollfd.POLLIN);
        constants.put(
                "SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_SOFTWARE",
                SelfCheck.LOOP_TRANSMITTED);
        constants.put("EINTR", Errno.EINTR);
        constants.put("EAGAIN", Errno.EAGAIN);
        constants.put("EIO", Errno.EIO);
        constants.put("EINVAL", Errno.EINVAL);
        constants.put("ENOMEM", Errno.ENOMEM);
        constants.put("ENOBUFS", Errno.ENOBUFS);
        constants.put("EMSGSIZE", Errno.EMSGSIZE);
        constants.put("EADDRINUSE", Errno.EADDRINUSE);
        constants.put("EADDRNOTAVAIL", Errno.EADDRNOTAVAIL);
        Map<String, Long> widened = new LinkedHashMap<>();
        constants.forEach((name, value) -> widened.put(name, (long) value));
        return widened;
    }

    private static boolean isCompilerThere() throws InterruptedException {
        try {
            return run(List.of("gcc", "--version")).exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static Map<String, Long> compileAndRun(Path directory, List<String> expressions)
            throws IOException, InterruptedException {
        String lines =
                expressions.stream()
                        .map(e -> "printf(\"%s\\t%ld\\n\", \"" + e + "\", (long) (" + e + "));\n")
                        .collect(Collectors.joining());
        Path source = directory.resolve("layouts.c");
        Path program = directory.resolve("layouts");
        Files.writeString(source, HEADERS + "int main(void) {\n" + lines + "return 0;\n}\n");
        Process compiler = run(List.of("gcc", "-o", program.toString(), source.toString()));
        assertThat(compiler.exitValue()).as(output(compiler)).isZero();

        Map<String, Long> theirs = new LinkedHashMap<>();
        output(run(List.of(program.toString())))
                .lines()
                .map(line -> line.split("\t"))
                .forEach(cells -> theirs.put(cells[0], Long.valueOf(cells[1])));
        return theirs;
    }

    private static Process run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(process.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process;
    }

    private static String output(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
