package dev.outboard.fabric.roce;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.roce.io.IpMtu;
import dev.outboard.fabric.roce.io.PortHolder;
import dev.outboard.fabric.roce.io.Route;
import dev.outboard.fabric.roce.io.SocketProbe;
import dev.outboard.fabric.roce.io.UdpSocket;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.PathMtu;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What [dev.outboard.fabric.Fabric#diagnose] says about a RoCE device: the process and the machine
/// first, then the local address and what its sockets can do, then the peer. Each later check needs
/// what the earlier ones found in order, and is left out otherwise.
final class Diagnosis {
    private static final String ADDRESS = "address";
    private static final String PORT = "UDP port " + Path.DESTINATION_PORT;
    private static final String PEER = "peer";

    /// What Ethernet's 1500 bytes carry; less is a tunnel or a mistake.
    private static final PathMtu USUAL_MTU = PathMtu.MTU_1024;

    /// UDP payload around the payload of the longest packet (roce.md 1.1).
    private static final int MAX_OVERHEAD = 12 + 16 + 4 + 4;

    private final String device;
    private final RoceOptions options;
    private final List<Finding> findings = new ArrayList<>();

    /// @param device as the URI names it
    Diagnosis(String device, RoceOptions options) {
        this.device = device;
        this.options = options;
    }

    List<Finding> findings() {
        findings.addAll(HostFindings.all());
        InetAddress peer = peer();
        InetAddress local = local(peer);
        if (local != null) {
            examine(local, peer);
        }
        return List.copyOf(findings);
    }

    private @Nullable InetAddress peer() {
        String name = options.peer();
        return name == null ? null : resolved(PEER, name);
    }

    private @Nullable InetAddress local(@Nullable InetAddress peer) {
        if (!device.equals("auto")) {
            return resolved(ADDRESS, device);
        }
        if (peer == null) {
            return null;
        }
        try {
            return LocalAddress.towards(peer, new SecureRandom());
        } catch (FabricException e) {
            findings.add(Finding.fail(PEER, message(e), "`ip route` lists the networks it knows"));
            return null;
        }
    }

    private @Nullable InetAddress resolved(String subject, String name) {
        try {
            return LocalAddress.of(name);
        } catch (FabricException e) {
            findings.add(
                    Finding.fail(subject, "unknown host " + name, "name it by its IP address"));
            return null;
        }
    }

    private void examine(InetAddress local, @Nullable InetAddress peer) {
        try (SocketProbe probe = new SocketProbe(local)) {
            findings.add(Finding.ok(ADDRESS, local.getHostAddress()));
            boolean free = examinePort(local);
            Optional<PathMtu> mtu = examineMtu(local);
            examineBuffers(probe);
            examineHeaders(local, probe);
            examineBatching(probe);
            if (peer != null && mtu.isPresent()) {
                Finding route = route(local, probe, peer, mtu.get());
                findings.add(route);
                if (free && route.verdict() == Finding.Verdict.OK) {
                    findings.add(PeerProbe.ask(local, peer));
                }
            }
        } catch (FabricException e) {
            findings.add(unusable(local, e));
        }
    }

    private static Finding unusable(InetAddress local, FabricException e) {
        return e.reason() == Reason.ADDRESS_NOT_AVAILABLE
                ? Finding.fail(
                        ADDRESS,
                        local.getHostAddress() + " is not an address of this machine",
                        "choose one that `ip address` lists, or any of 127.0.0.0/8")
                : Finding.fail(
                        ADDRESS, message(e), "see whether this process may open UDP sockets");
    }

    /// Whether the port is free.
    private boolean examinePort(InetAddress local) {
        try (UdpSocket socket = UdpSocket.bind(local, Path.DESTINATION_PORT)) {
            findings.add(Finding.ok(PORT, "free on " + socket.localAddress().getHostAddress()));
            return true;
        } catch (FabricException e) {
            if (e.reason() != Reason.ADDRESS_IN_USE) {
                findings.add(unusable(local, e));
                return false;
            }
            String holder = PortHolder.of(local, Path.DESTINATION_PORT);
            findings.add(Finding.fail(PORT, "held by " + holder, portRemedy(local, holder)));
            return false;
        }
    }

    private static String portRemedy(InetAddress local, String holder) {
        if (holder.contains("rdma_rxe")) {
            return "`rdma link` lists its devices, `rdma link del NAME` removes one, `rmmod"
                    + " rdma_rxe` the driver";
        }
        return local.isLoopbackAddress() && local instanceof Inet4Address
                ? "end it, or take another loopback address: any 127.x.y.z will do"
                : "end it, or give each process an address of its own: `ip address add`";
    }

    private Optional<PathMtu> examineMtu(InetAddress local) {
        String subject = "MTU";
        int ipMtu = IpMtu.of(local);
        Optional<PathMtu> mtu = PathMtu.largestFor(ipMtu);
        String raise = "raise the interface's MTU: `ip link set dev NAME mtu 4200` gives 4096";
        if (mtu.isEmpty()) {
            findings.add(
                    Finding.fail(
                            subject,
                            "an IP MTU of " + ipMtu + " bytes is too small, RoCE needs 352",
                            raise));
            return mtu;
        }
        String detail = "IP " + ipMtu + " bytes, so RoCE packets carry " + mtu.get().bytes();
        findings.add(
                mtu.get().compareTo(USUAL_MTU) < 0
                        ? Finding.warn(subject, detail, raise)
                        : Finding.ok(subject, detail));
        return mtu;
    }

    private void examineBuffers(SocketProbe probe) {
        findings.add(buffer("receive buffer", probe.receiveBufferBytes(), "net.core.rmem_max"));
        findings.add(buffer("send buffer", probe.sendBufferBytes(), "net.core.wmem_max"));
    }

    /// The kernel counts its own overhead, and so grants twice what was asked for.
    static Finding buffer(String subject, int kernelBytes, String limit) {
        int granted = kernelBytes / 2;
        int asked = UdpSocket.BUFFER_BYTES;
        String detail = granted / 1024 + " KiB of " + asked / 1024 + " asked for";
        return granted >= asked
                ? Finding.ok(subject, detail)
                : Finding.warn(
                        subject,
                        detail + "; bursts beyond that are lost",
                        "`sysctl -w " + limit + "=" + asked + "`");
    }

    private void examineHeaders(InetAddress local, SocketProbe probe) {
        if (!(local instanceof Inet4Address)) {
            String subject = "zero checksum";
            findings.add(
                    probe.takesZeroChecksum()
                            ? Finding.ok(subject, "IPv6 packets without UDP checksum arrive")
                            : Finding.fail(
                                    subject,
                                    "IPv6 packets without UDP checksum, such as rdma_rxe sends, are"
                                            + " lost",
                                    "use IPv4, or look for a firewall that drops them"));
            return;
        }
        String subject = "IPv4 headers";
        String problem = probe.headerProblem();
        findings.add(
                problem.isEmpty()
                        ? Finding.ok(subject, "DF is set and ID is 0, as checksums assume")
                        : Finding.fail(subject, problem, "use IPv6, which has no such fields"));
    }

    private void examineBatching(SocketProbe probe) {
        String subject = "batching";
        findings.add(
                switch (probe.batching()) {
                    case BOTH_WAYS -> Finding.ok(subject, "GSO and GRO: many packets per call");
                    case SENDING ->
                            Finding.warn(
                                    subject,
                                    "GSO only: packets arrive one per call",
                                    "Linux 5.0 or newer has UDP_GRO");
                    case NONE ->
                            Finding.warn(
                                    subject,
                                    "no GSO: every packet takes a call",
                                    "Linux 4.18 or newer has UDP_SEGMENT, `ethtool -K NAME"
                                            + " tx-udp-segmentation on` switches it on");
                });
    }

    private static Finding route(
            InetAddress local, SocketProbe probe, InetAddress peer, PathMtu mtu) {
        String subject = "route";
        String problem = Route.problem(local, peer);
        if (!problem.isEmpty()) {
            return Finding.fail(subject, problem, "`ip route get` explains the way there");
        }
        String name = peer.getHostAddress();
        return probe.fits(peer, mtu.bytes() + MAX_OVERHEAD)
                ? Finding.ok(
                        subject,
                        local.getHostAddress() + " to " + name + " takes packets that long")
                : Finding.fail(
                        subject,
                        "packets with " + mtu.bytes() + " bytes do not fit the way to " + name,
                        "make the MTU of the interface that of the route: `ip route get` shows it");
    }

    private static String message(FabricException e) {
        return String.valueOf(e.getMessage());
    }
}
