package dev.outboard.fabric.roce.wire;

/// Finds the IPv4 identification that a packet must have had on the wire, for packets of one
/// length. Immutable.
///
/// A receiver does not see the identification, but the ICRC covers it, and a CRC is linear: each
/// bit of the identification changes the ICRC by a constant that depends only on how many bytes
/// follow. The difference between the received ICRC and the one computed for identification 0 is
/// the sum of the constants of the bits that are set. Solving that is Gaussian elimination over 32
/// bits; of the check 16 bits remain.
///
/// Source: spec/roce.md, 2.3.
///
/// ROCE-ICRC-5: the ID of the IPv4 header follows from the rest of the packet.
final class IdentificationSolver {
    private static final int BITS = 16;

    /// From behind the identification's low byte to the UDP payload: the rest of the IP header and
    /// the UDP header.
    private static final int BYTES_TO_PAYLOAD = 14 + IpHeaders.UDP_LENGTH;

    /// CRC-32, bit-reversed as it is computed: bit 31 stands for x⁰.
    private static final int POLYNOMIAL = 0xEDB88320;

    private static final int ONE = 1 << 31;
    private static final int X = 1 << 30;

    /// DF in the high byte of flags and fragment offset, right behind the identification.
    private static final int DONT_FRAGMENT = 0x40;

    /// Reduced row echelon form: each row has a bit, its pivot, that no other row has.
    private final int[] pivots = new int[BITS];

    private final int[] rows = new int[BITS];

    /// Which identification bits add up to the row.
    private final int[] identifications = new int[BITS];

    private final int dontFragmentEffect;

    IdentificationSolver(int udpPayloadLength) {
        int behind = BYTES_TO_PAYLOAD + udpPayloadLength - Icrc.LENGTH;
        dontFragmentEffect = effect(DONT_FRAGMENT, behind - 1);
        for (int bit = 0; bit < BITS; bit++) {
            boolean highByte = bit >= Byte.SIZE;
            int effect = effect(1 << bit % Byte.SIZE, highByte ? behind + 1 : behind);
            addRow(bit, effect, 1 << bit);
        }
    }

    /// The identification that explains the difference, or −1 when none does.
    int solve(int difference) {
        int rest = difference;
        int identification = 0;
        for (int i = 0; i < BITS; i++) {
            if ((rest & pivots[i]) != 0) {
                rest ^= rows[i];
                identification ^= identifications[i];
            }
        }
        return rest == 0 ? identification : -1;
    }

    /// What DF changes in the ICRC.
    int dontFragmentEffect() {
        return dontFragmentEffect;
    }

    private void addRow(int count, int effect, int identification) {
        int row = effect;
        int bits = identification;
        for (int i = 0; i < count; i++) {
            if ((row & pivots[i]) != 0) {
                row ^= rows[i];
                bits ^= identifications[i];
            }
        }
        // The bits lie within 32 of each other, and a CRC-32 tells any two such patterns apart.
        assert row != 0;
        int pivot = Integer.highestOneBit(row);
        for (int i = 0; i < count; i++) {
            if ((rows[i] & pivot) != 0) {
                rows[i] ^= row;
                identifications[i] ^= bits;
            }
        }
        pivots[count] = pivot;
        rows[count] = row;
        identifications[count] = bits;
    }

    /// What changing these bits of a byte, with so many bytes behind it, changes in the CRC.
    private static int effect(int bits, int bytesBehind) {
        return multiply(bits, powerOfX(Byte.SIZE * (bytesBehind + 1)));
    }

    private static int powerOfX(int exponent) {
        int power = ONE;
        int square = X;
        for (int rest = exponent; rest != 0; rest >>>= 1) {
            if ((rest & 1) != 0) {
                power = multiply(power, square);
            }
            square = multiply(square, square);
        }
        return power;
    }

    /// The product of two polynomials, modulo the CRC's.
    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int mask = ONE; mask != 0; mask >>>= 1) {
            if ((a & mask) != 0) {
                product ^= shifted;
            }
            shifted = (shifted & 1) != 0 ? shifted >>> 1 ^ POLYNOMIAL : shifted >>> 1;
        }
        return product;
    }
}
