package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.sim.network.NetworkFaults;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;

/// What one seed of the campaign decides about the connection and the network.
///
/// @param ackTimeoutCodes per end
/// @param deathNanos when the second end dies, or [dev.outboard.testkit.SimulatedNetwork#NEVER]
record CampaignSettings(
        NetworkFaults faults,
        boolean isIpv6,
        int pathMtuBytes,
        int[] firstPsns,
        int[] ackTimeoutCodes,
        int[] retryCounts,
        int[] rnrRetryCounts,
        int[] minRnrTimerCodes,
        int[] windows,
        int[] readAtomics,
        int[] queueCapacities,
        boolean separateCompletions,
        boolean[] postsReceivesLate,
        int datagramsPerTurn,
        long deathNanos) {

    private static final int[] MTUS = {256, 512, 1024, 2048, 4096};
    private static final int[] WINDOWS = {1, 2, 3, 8, 32, 128};
    private static final int PSN_MODULUS = 1 << 24;
    private static final long UNIT_NANOS = 4_096;

    static CampaignSettings draw(SplittableRandom random) {
        NetworkFaults faults = drawFaults(random);
        int firstGoodCode = codeFor(4 * roundTripNanos(faults));
        boolean isIpv6 = random.nextBoolean();
        int pathMtuBytes = pick(random, MTUS);
        int[] firstPsns = pair(() -> drawPsn(random));
        int[] ackTimeoutCodes = pair(() -> drawTimeout(random, firstGoodCode));
        int[] retryCounts = pair(() -> random.nextInt(6) > 0 ? 7 : random.nextInt(7));
        int[] rnrRetryCounts = pair(() -> random.nextInt(6) > 0 ? 7 : random.nextInt(7));
        int[] minRnrTimerCodes = pair(() -> random.nextInt(20) == 0 ? 0 : random.nextInt(1, 16));
        int[] windows = pair(() -> pick(random, WINDOWS));
        int[] readAtomics = pair(() -> random.nextInt(1, 6));
        int[] queueCapacities = pair(() -> random.nextInt(1, 33));
        boolean separateCompletions = random.nextBoolean();
        boolean[] postsReceivesLate =
                new boolean[] {random.nextInt(3) == 0, random.nextInt(3) == 0};
        int datagramsPerTurn = random.nextInt(4) == 0 ? random.nextInt(1, 8) : 64;
        long deathNanos = random.nextInt(16) == 0 ? random.nextLong(1, 20_000_000) : Long.MAX_VALUE;
        return new CampaignSettings(
                faults,
                isIpv6,
                pathMtuBytes,
                firstPsns,
                ackTimeoutCodes,
                retryCounts,
                rnrRetryCounts,
                minRnrTimerCodes,
                windows,
                readAtomics,
                queueCapacities,
                separateCompletions,
                postsReceivesLate,
                datagramsPerTurn,
                deathNanos);
    }

    boolean dies() {
        return deathNanos != Long.MAX_VALUE;
    }

    /// Whether end `end` cannot run out of retries because of the network alone: the timeout leaves
    /// time for an answer, and either nothing gets lost or there are retries in plenty.
    boolean hasPlentyOfRetries(int end) {
        boolean isPatient =
                ackTimeoutCodes[end] == 0
                        || ackTimeoutCodes[end] >= codeFor(4 * roundTripNanos(faults));
        return isPatient && (faults.isReliable() || retryCounts[end] == 7);
    }

    private static NetworkFaults drawFaults(SplittableRandom random) {
        long delayNanos = random.nextLong(1_000, 200_000);
        boolean isReliable = random.nextInt(8) == 0;
        double worst = isReliable ? 0 : 0.1;
        double loss = chance(random, worst);
        double duplication = chance(random, worst);
        double reordering = chance(random, worst);
        double corruption = chance(random, worst / 2);
        long jitterNanos = random.nextLong(delayNanos);
        long turnNanos = random.nextBoolean() ? 0 : random.nextLong(50_000);
        int inboxDatagrams =
                isReliable || random.nextInt(4) > 0 ? Integer.MAX_VALUE : random.nextInt(8, 64);
        return NetworkFaults.none(delayNanos)
                .withLoss(loss)
                .withDuplication(duplication)
                .withReordering(reordering)
                .withCorruption(corruption)
                .withJitter(jitterNanos)
                .withTurn(turnNanos)
                .withInbox(inboxDatagrams);
    }

    /// Up to `worst`, and 0 often.
    private static double chance(SplittableRandom random, double worst) {
        return worst == 0 || random.nextInt(3) == 0 ? 0 : random.nextDouble(worst);
    }

    private static long roundTripNanos(NetworkFaults faults) {
        return 2 * (faults.delayNanos() + faults.jitterNanos() + faults.turnNanos());
    }

    /// The smallest timeout code for at least that time.
    private static int codeFor(long nanos) {
        int code = 1;
        while (UNIT_NANOS << code < nanos) {
            code++;
        }
        return code;
    }

    /// Mostly long enough for an answer, sometimes too short or for ever.
    private static int drawTimeout(SplittableRandom random, int firstGoodCode) {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> random.nextInt(1, firstGoodCode);
            default -> firstGoodCode + random.nextInt(5);
        };
    }

    /// Half of them so that they wrap soon.
    private static int drawPsn(SplittableRandom random) {
        return random.nextBoolean()
                ? PSN_MODULUS - 1 - random.nextInt(50)
                : random.nextInt(PSN_MODULUS);
    }

    private static int pick(SplittableRandom random, int[] values) {
        return values[random.nextInt(values.length)];
    }

    private static int[] pair(IntSupplier draw) {
        return new int[] {draw.getAsInt(), draw.getAsInt()};
    }

    @Override
    public String toString() {
        return "%s, MTU %d, PSNs %s, timeouts %s, retries %s, RNR retries %s, RNR timers %s, windows %s, READs %s, queues %s, death %d"
                .formatted(
                        faults,
                        pathMtuBytes,
                        Arrays.toString(firstPsns),
                        Arrays.toString(ackTimeoutCodes),
                        Arrays.toString(retryCounts),
                        Arrays.toString(rnrRetryCounts),
                        Arrays.toString(minRnrTimerCodes),
                        Arrays.toString(windows),
                        Arrays.toString(readAtomics),
                        Arrays.toString(queueCapacities),
                        deathNanos);
    }
}
