package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.wire.Line;

/// The registers of a SHA-256 engine (FIPS 180-4, section 6.2.2): one round of one block at a time.
final class Sha256Rounds {
    private static final int ROUNDS = 64;
    private static final int WORDS = 16;

    private static final int[] CONSTANTS = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2
    };

    private static final int[] INITIAL = {
        0x6a09e667,
        0xbb67ae85,
        0x3c6ef372,
        0xa54ff53a,
        0x510e527f,
        0x9b05688c,
        0x1f83d9ab,
        0x5be0cd19
    };

    private final int[] hash = new int[INITIAL.length];
    private final int[] working = new int[INITIAL.length];
    private final int[] schedule = new int[WORDS];
    private int round;

    /// Begins a message.
    void begin() {
        System.arraycopy(INITIAL, 0, hash, 0, hash.length);
    }

    /// Loads a block, whose words are big-endian.
    void load(long[] block) {
        for (int i = 0; i < WORDS; i++) {
            int word = (int) (block[i >> 1] >>> ((i & 1) * Integer.SIZE));
            schedule[i] = Integer.reverseBytes(word);
        }
        System.arraycopy(hash, 0, working, 0, hash.length);
        round = 0;
    }

    /// One round. Returns whether it was the last of the block.
    boolean round() {
        int e = working[4];
        int a = working[0];
        int choice = (e & working[5]) ^ (~e & working[6]);
        int majority = (a & working[1]) ^ (a & working[2]) ^ (working[1] & working[2]);
        int first = working[7] + rotations(e, 6, 11, 25) + choice + CONSTANTS[round] + word();
        int second = rotations(a, 2, 13, 22) + majority;
        System.arraycopy(working, 0, working, 1, working.length - 1);
        working[4] += first;
        working[0] = first + second;
        round++;
        if (round < ROUNDS) {
            return false;
        }
        for (int i = 0; i < hash.length; i++) {
            hash[i] += working[i];
        }
        return true;
    }

    /// The word of this round; from the seventeenth on it takes the place of the one 16 before.
    private int word() {
        int at = round % WORDS;
        if (round >= WORDS) {
            int near = schedule[(at + 14) % WORDS];
            int far = schedule[(at + 1) % WORDS];
            schedule[at] +=
                    schedule[(at + 9) % WORDS]
                            + (Integer.rotateRight(near, 17)
                                    ^ Integer.rotateRight(near, 19)
                                    ^ near >>> 10)
                            + (Integer.rotateRight(far, 7)
                                    ^ Integer.rotateRight(far, 18)
                                    ^ far >>> 3);
        }
        return schedule[at];
    }

    private static int rotations(int x, int first, int second, int third) {
        return Integer.rotateRight(x, first)
                ^ Integer.rotateRight(x, second)
                ^ Integer.rotateRight(x, third);
    }

    /// Writes the digest to the first half of a line.
    void digest(long[] line) {
        for (int i = 0; i < Line.LONGS / 2; i++) {
            long low = Integer.toUnsignedLong(Integer.reverseBytes(hash[2 * i]));
            line[i] = low | (long) Integer.reverseBytes(hash[2 * i + 1]) << Integer.SIZE;
        }
    }
}
