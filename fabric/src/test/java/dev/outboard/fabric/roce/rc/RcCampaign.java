package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/// One run of the campaign: two connected queue pairs send each other random messages over a faulty
/// network until both are done, while everything is watched.
final class RcCampaign {
    private static final int[] QPNS = {0x11, 0xABCDEF};
    private static final Gid[] IPV4 = {Gid.ofIpv4(0x7F000002), Gid.ofIpv4(0x7F000003)};
    private static final Gid[] IPV6 = {
        new Gid(0xFD77_0000_0000_0000L, 1), new Gid(0xFD77_0000_0000_0000L, 2)
    };

    /// Longer than any run that makes progress.
    private static final long MAX_NANOS = 100_000_000_000L;

    /// More packets than retransmission of whole windows can explain.
    private static final long MAX_PACKETS_PER_PACKET = 300;

    private static final long MAX_EXTRA_PACKETS = 30_000;

    private final CampaignSettings settings;
    private final SimulatedNetwork<Gid> network;
    private final Traffic[] traffic = new Traffic[2];
    private final CampaignApplication[] applications = new CampaignApplication[2];
    private final SimulatedEndpoint[] endpoints = new SimulatedEndpoint[2];
    private final WireWatch[] watches = new WireWatch[2];
    private final CampaignMemory[] memories = new CampaignMemory[2];
    private final Gid[] addresses;

    RcCampaign(long seed, Arena arena) {
        SplittableRandom random = new SplittableRandom(seed);
        settings = CampaignSettings.draw(random.split());
        network = new SimulatedNetwork<>(random.split(), settings.faults());
        addresses = settings.isIpv6() ? IPV6 : IPV4;
        for (int end = 0; end < 2; end++) {
            traffic[end] = new Traffic(random.split(), settings.pathMtuBytes());
        }
        for (int end = 0; end < 2; end++) {
            build(end, random.split());
        }
        for (int end = 0; end < 2; end++) {
            memories[end] =
                    new CampaignMemory(
                            arena, endpoints[end].regions, traffic[end], traffic[1 - end]);
        }
        for (int end = 0; end < 2; end++) {
            applications[end].start(
                    endpoints[end], memories[end], memories[1 - end], applications[1 - end]);
            endpoints[end].queuePair.connect(connection(end));
            if (random.nextBoolean()) {
                endpoints[end].queuePair.sendRequestsAhead();
            }
        }
    }

    private void build(int end, SplittableRandom random) {
        watches[end] = new WireWatch(connection(end));
        applications[end] =
                new CampaignApplication(
                        random.split(), traffic[end], traffic[1 - end], settings, end);
        int capacity = settings.queueCapacities()[end];
        endpoints[end] =
                new SimulatedEndpoint(
                        network,
                        addresses[end],
                        QPNS[end],
                        new QueueSizes(
                                capacity, capacity, Traffic.MAX_PIECES, Traffic.MAX_INLINE_BYTES),
                        settings.separateCompletions(),
                        random.split(),
                        applications[end],
                        watches[end]);
        endpoints[end].limitDatagramsPerTurn(settings.datagramsPerTurn());
    }

    private RcConnection connection(int end) {
        return RcConnection.builder(SimulatedEndpoint.path(addresses[end], addresses[1 - end]))
                .destinationQpn(QPNS[1 - end])
                .pathMtuBytes(settings.pathMtuBytes())
                .sendPsn(settings.firstPsns()[end])
                .receivePsn(settings.firstPsns()[1 - end])
                .minRnrTimerCode(settings.minRnrTimerCodes()[end])
                .ackTimeoutCode(settings.ackTimeoutCodes()[end])
                .retryCount(settings.retryCounts()[end])
                .rnrRetryCount(settings.rnrRetryCounts()[end])
                .maxWindowPackets(settings.windows()[end])
                .maxReadAtomic(settings.readAtomics()[end])
                .maxDestinationReadAtomic(settings.readAtomics()[1 - end])
                .build();
    }

    void run() {
        boolean isDead = false;
        long packetLimit =
                MAX_EXTRA_PACKETS
                        + MAX_PACKETS_PER_PACKET * (traffic[0].packets() + traffic[1].packets());
        while (!isDone() && network.nowNanos() < MAX_NANOS && network.step()) {
            if (!isDead && network.nowNanos() >= settings.deathNanos()) {
                isDead = true;
                network.detach(addresses[1]);
                applications[1].die();
            }
            assertThat(watches[0].packets() + watches[1].packets())
                    .as("packets sent")
                    .isLessThan(packetLimit);
        }
        for (int end = 0; end < 2; end++) {
            checkOutcome(end, isDead);
        }
        for (CampaignApplication application : applications) {
            application.finish();
        }
        for (CampaignApplication application : applications) {
            application.checkMemory();
        }
    }

    @Override
    public String toString() {
        return settings + "\n" + applications[0] + "\n" + applications[1];
    }

    private boolean isDone() {
        return applications[0].isDone() && applications[1].isDone();
    }

    private void checkOutcome(int end, boolean isDead) {
        CampaignApplication application = applications[end];
        if (mustSucceed()) {
            assertThat(application.sendFailure())
                    .as("%s", this)
                    .isEqualTo(CompletionStatus.SUCCESS);
            assertThat(application.receiveFailure())
                    .as("%s", this)
                    .isEqualTo(CompletionStatus.SUCCESS);
            assertThat(application.hasSentAll()).as("end %d has sent all: %s", end, this).isTrue();
            assertThat(application.hasReceivedAll())
                    .as("end %d has received all: %s", end, this)
                    .isTrue();
        } else if (settings.ackTimeoutCodes()[end] != 0 && !(isDead && end == 1)) {
            assertThat(application.isDone()).as("end %d comes to an end: %s", end, this).isTrue();
        }
    }

    private boolean mustSucceed() {
        boolean isFlawed =
                traffic[0].messages.stream().anyMatch(PlannedMessage::isFlawed)
                        || traffic[1].messages.stream().anyMatch(PlannedMessage::isFlawed);
        return !isFlawed
                && !settings.dies()
                && settings.hasPlentyOfRetries(0)
                && settings.hasPlentyOfRetries(1)
                && settings.rnrRetryCounts()[0] == 7
                && settings.rnrRetryCounts()[1] == 7;
    }
}
