package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.CapturedPacket;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What Linux soft-RoCE answered to captured requests, our responder answers; what it sent for a
/// piece of work, our requester sends.
class CaptureReplayTest {
    private static final String OPERATIONAL_ERROR =
            "syndrome %02x ".formatted(Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
    private static final String INVALID_REQUEST =
            "syndrome %02x ".formatted(Aeth.NAK_INVALID_REQUEST);

    static Stream<CapturedFlow> flows() {
        return CapturedPacket.captures().flatMap(capture -> CapturedFlow.of(capture).stream());
    }

    @ParameterizedTest
    @MethodSource("flows")
    @Requirement({"ROCE-RC-7", "ROCE-RC-8", "ROCE-RC-12", "ROCE-RC-13"})
    void theResponderAnswersAsSoftRoceDoes(CapturedFlow flow) {
        List<PacketLine> theirs = flow.answers().stream().map(PacketLine::of).toList();
        List<PacketLine> ours = new ArrayList<>(ResponderReplay.answers(flow));
        Set<Allowance> used = EnumSet.noneOf(Allowance.class);

        if (flow.isLossy()) {
            assertAmong(flow, ours, theirs, used);
        } else {
            if (ours.size() == theirs.size() + 1) {
                used.add(Allowance.TORN_DOWN);
                ours.removeLast();
            }
            assertTheSame(flow, ours, theirs, used);
        }

        used.remove(Allowance.ASKS_MORE_OFTEN);
        assertThat(used)
                .as(flow.toString())
                .isEqualTo(
                        switch (flow.capture()) {
                            case "odd-toolong" -> EnumSet.of(Allowance.TOO_LONG_IS_INVALID);
                            case "cm-rstream-write-imm" -> tornDown(flow);
                            case "loss-read" ->
                                    EnumSet.of(Allowance.LOSSES, Allowance.REPLAY_STARTS_ANEW);
                            case "loss-rc-pingpong", "loss-write" -> EnumSet.of(Allowance.LOSSES);
                            default -> EnumSet.noneOf(Allowance.class);
                        });
    }

    /// The client disconnects when it has got what it asked for.
    private static Set<Allowance> tornDown(CapturedFlow flow) {
        return flow.toString().startsWith("cm-rstream-write-imm 10.77.0.2")
                ? EnumSet.of(Allowance.TORN_DOWN)
                : EnumSet.noneOf(Allowance.class);
    }

    @ParameterizedTest
    @MethodSource("flows")
    @Requirement({"ROCE-RC-1", "ROCE-RC-2", "ROCE-RC-5", "ROCE-RC-6", "ROCE-RC-18"})
    void theRequesterSendsAsSoftRoceDoes(CapturedFlow flow) {
        RequesterReplay replay = RequesterReplay.of(flow);
        List<PacketLine> theirs = flow.requests().stream().map(PacketLine::of).toList();
        Set<Allowance> used = EnumSet.noneOf(Allowance.class);

        if (flow.isLossy()) {
            assertAmong(flow, replay.requests(), theirs, used);
        } else {
            assertTheSame(flow, replay.requests(), theirs, used);
        }

        List<Completion> completions = replay.completions();
        int unanswered = tornDown(flow).size();
        assertThat(completions)
                .as(flow.toString())
                .hasSize(replay.posted() - unanswered)
                .extracting(Completion::id)
                .isSorted();
        assertThat(completions.stream().map(Completion::status).distinct())
                .as(flow.toString())
                .containsExactlyElementsOf(statuses(flow.capture()));
        if (completions.getLast().status() == CompletionStatus.SUCCESS) {
            assertThat(replay.hasStoredTheAnswers()).as(flow.toString()).isTrue();
        }
    }

    private static List<CompletionStatus> statuses(String capture) {
        return switch (capture) {
            case "odd-badrkey", "odd-badread" -> List.of(CompletionStatus.REMOTE_ACCESS_ERROR);
            case "odd-toolong" -> List.of(CompletionStatus.REMOTE_OPERATION_ERROR);
            case "odd-rnrfail" -> List.of(CompletionStatus.RNR_RETRY_EXCEEDED);
            case "odd-inv" ->
                    List.of(CompletionStatus.SUCCESS, CompletionStatus.REMOTE_ACCESS_ERROR);
            default -> List.of(CompletionStatus.SUCCESS);
        };
    }

    private static void assertTheSame(
            CapturedFlow flow,
            List<PacketLine> ours,
            List<PacketLine> theirs,
            Set<Allowance> used) {
        assertThat(ours).as(flow.toString()).hasSameSizeAs(theirs);
        for (int i = 0; i < theirs.size(); i++) {
            if (!isTheSame(ours.get(i), theirs.get(i), used)) {
                assertThat(ours.get(i)).as("%s: packet %d", flow, i).isEqualTo(theirs.get(i));
            }
        }
    }

    private static void assertAmong(
            CapturedFlow flow,
            List<PacketLine> ours,
            List<PacketLine> theirs,
            Set<Allowance> used) {
        used.add(Allowance.LOSSES);
        for (PacketLine their : theirs) {
            assertThat(ours)
                    .as("%s: a packet like %s", flow, their)
                    .anyMatch(our -> isTheSame(our, their, used));
        }
    }

    private static boolean isTheSame(PacketLine our, PacketLine their, Set<Allowance> used) {
        if (our.equals(their)) {
            return true;
        }
        if (our.equals(their.with(true))) {
            used.add(Allowance.ASKS_MORE_OFTEN);
            return true;
        }
        if (our.equals(their.with(their.fields().replace(OPERATIONAL_ERROR, INVALID_REQUEST)))) {
            used.add(Allowance.TOO_LONG_IS_INVALID);
            return true;
        }
        if (our.opcode().operation() == Opcode.Operation.READ_RESPONSE
                && our.carriesTheSameAs(their)) {
            used.add(Allowance.REPLAY_STARTS_ANEW);
            return true;
        }
        return false;
    }
}
