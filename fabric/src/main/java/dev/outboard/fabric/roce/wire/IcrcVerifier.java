package dev.outboard.fabric.roce.wire;

import dev.outboard.fabric.memory.Payload;
import org.jspecify.annotations.Nullable;

/// Checks the ICRC of received packets, from the UDP payload and the sender's address alone. Owned
/// by the thread that receives; allocates only at the first packet of each length.
///
/// Source: spec/roce.md, 2.3. IPv6 needs no guess. On IPv4 the ICRC covers identification and DF,
/// which a receiver may not be told, so [Policy] decides what to do about them.
///
/// ROCE-ICRC-7: three policies, and a counter for each way a packet is taken or refused.
public final class IcrcVerifier {
    /// What is accepted on IPv4. On IPv6 [#STRICT] and [#SOLVE] are the same.
    public enum Policy {
        /// Identification 0 and DF, as our stack sends without segmentation offload. All 32 bits of
        /// the checksum count.
        STRICT,
        /// Any identification, also without DF, as long as the sender keeps to its habit: the rules
        /// are in [Sender]. At least 16 bits of the checksum count.
        SOLVE,
        /// Everything, unchecked: for tests and for hardware that checks itself.
        OFF
    }

    /// What [#verify] answers for a packet to be dropped.
    public static final int BAD = -1;

    private static final int MAX_UDP_PAYLOAD = 0xFFFF - IpHeaders.UDP_LENGTH;

    private final Policy policy;
    private final Icrc icrc = new Icrc();
    private final @Nullable IdentificationSolver[] solvers;
    private long strictOk;
    private long solved;
    private long bad;

    public IcrcVerifier(Policy policy) {
        this.policy = policy;
        solvers = new IdentificationSolver[policy == Policy.SOLVE ? MAX_UDP_PAYLOAD / 4 + 1 : 0];
    }

    /// Checks the packet of `sender` in `length` bytes at `at`, BTH to ICRC. Returns the
    /// identification that the packet had on the wire, 0 when it is unknown or there is none, or
    /// [#BAD].
    public int verify(Sender sender, Payload received, long at, int length) {
        if (policy == Policy.OFF) {
            return 0;
        }
        if (length < Packet.MIN_LENGTH || (length & 3) != 0 || length > MAX_UDP_PAYLOAD) {
            return refuse(sender);
        }
        int difference = difference(sender.path(), received, at, length);
        if (difference == 0) {
            strictOk++;
            sender.sawZero();
            return 0;
        }
        if (policy == Policy.STRICT || !sender.path().isIpv4()) {
            return refuse(sender);
        }
        return solve(sender, difference, solver(length));
    }

    /// Packets with identification 0 and DF, or on IPv6: checked with all 32 bits.
    public long strictOk() {
        return strictOk;
    }

    /// Packets accepted after solving for the identification.
    public long solved() {
        return solved;
    }

    /// Packets refused.
    public long bad() {
        return bad;
    }

    private int difference(Path path, Payload received, long at, int length) {
        int covered = length - Icrc.LENGTH - Bth.LENGTH;
        icrc.begin(path, 0, length, received.segment(), at, Bth.LENGTH);
        icrc.update(received, at + Bth.LENGTH, covered);
        return icrc.finish(0) ^ Icrc.get(received.segment(), at + length - Icrc.LENGTH);
    }

    /// ROCE-ICRC-6: what no identification explains is corrupt.
    private int solve(Sender sender, int difference, IdentificationSolver solver) {
        boolean dontFragment = true;
        int identification = solver.solve(difference);
        if (identification < 0) {
            dontFragment = false;
            identification = solver.solve(difference ^ solver.dontFragmentEffect());
        }
        if (identification < 0) {
            return refuse(sender);
        }
        if (!sender.admits(identification, dontFragment)) {
            bad++;
            return BAD;
        }
        solved++;
        return identification;
    }

    private int refuse(Sender sender) {
        sender.refuse();
        bad++;
        return BAD;
    }

    private IdentificationSolver solver(int length) {
        int index = length >>> 2;
        IdentificationSolver solver = solvers[index];
        if (solver == null) {
            solver = new IdentificationSolver(length);
            solvers[index] = solver;
        }
        return solver;
    }
}
