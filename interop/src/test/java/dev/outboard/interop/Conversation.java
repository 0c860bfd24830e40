package dev.outboard.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.RunningProgram;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// One program of the guest talks with one of ours. Both have to end by themselves with exit code
/// 0, and the guest's device must not have given up on anything.
///
/// In the words of both, `{host}` and `{guest}` stand for the addresses, `{host4}` and `{guest4}`
/// for those of IPv4, which tools that agree over TCP do it over even when they use IPv6 for the
/// rest, `{gid}` for the index of the guest's address, `{mtu}` for the path MTU.
final class Conversation {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    /// What one program has to notice that the other failed.
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final TestBed bed;
    private final Link link;
    private final Map<String, Long> before;

    Conversation(TestBeds beds, Link link) {
        this.bed = beds.of(link);
        this.link = link;
        before = bed.counters();
    }

    /// The guest's program calls ours, which prints a line that begins with "ready" when it
    /// listens.
    void guestCalls(String guest, List<String> ours) {
        try (RunningProgram server = bed.startOnHost(filled(ours))) {
            server.awaitLine("ready.*", LIMIT);
            try (RunningProgram client = bed.startInGuest(LIMIT, filled(guest))) {
                end(client, server);
            }
        }
    }

    /// Ours calls a program of the guest that listens for RDMA connections on `port`.
    void callsGuest(List<String> ours, String guest, int port) {
        try (RunningProgram server = bed.startInGuest(LIMIT, filled(guest))) {
            bed.awaitRdmaListener(port);
            call(ours, server);
        }
    }

    /// Ours calls a program of the guest that listens for TCP connections on `port`.
    void callsGuestOverTcp(List<String> ours, String guest, int port) {
        try (RunningProgram server = bed.startInGuest(LIMIT, filled(guest))) {
            bed.awaitTcpListener(port);
            call(ours, server);
        }
    }

    private void call(List<String> ours, RunningProgram server) {
        try (RunningProgram client = bed.startOnHost(filled(ours))) {
            end(server, client);
        }
    }

    private void end(RunningProgram guest, RunningProgram ours) {
        RunningProgram.awaitFirstEnd(LIMIT, guest, ours);
        Duration rest = guest.hasFailed() || ours.hasFailed() ? GRACE : LIMIT;
        boolean haveEnded = guest.ends(rest) && ours.ends(rest);
        String both = "guest: " + guest + "\nours: " + ours;
        if (!haveEnded || guest.hasFailed() || ours.hasFailed()) {
            both += "\nthe guest's network: " + bed.networkState();
        }
        assertThat(haveEnded).as("both end by themselves; %s", both).isTrue();
        assertThat(guest.hasFailed() || ours.hasFailed()).as("one has failed; %s", both).isFalse();
        assertThat(counted("rcvd_pkts")).as("packets that the guest took from us").isPositive();
        assertThat(counted("retry_exceeded_err") + counted("retry_rnr_exceeded_err"))
                .as("requests that the guest gave up: %s", both)
                .isZero();
    }

    private long counted(String name) {
        return bed.counters().getOrDefault(name, 0L) - before.getOrDefault(name, 0L);
    }

    private List<String> filled(List<String> words) {
        return words.stream().map(this::filled).toList();
    }

    private String filled(String words) {
        return words.replace("{host}", link.host())
                .replace("{host4}", Link.IPV4_1024.host())
                .replace("{guest}", link.guest())
                .replace("{guest4}", Link.IPV4_1024.guest())
                .replace("{gid}", String.valueOf(link.gidIndex()))
                .replace("{mtu}", String.valueOf(link.mtu().bytes()));
    }
}
