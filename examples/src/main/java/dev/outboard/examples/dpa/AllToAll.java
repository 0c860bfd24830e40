package dev.outboard.examples.dpa;

import dev.outboard.doca.DocaDev;
import dev.outboard.dpa.doca.DocaDpa;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.examples.doca.Exchange;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// An all-to-all of 32 ranks, threads of the DPAs of 4 processes:
///
/// ```
/// java … AllToAll
/// ```
public final class AllToAll {
    private static final int MEMBERS = 4;
    private static final int RANKS = 8;
    private static final int ROUNDS = 20;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private AllToAll() {}

    /// Without words it is the first process, and starts the others.
    public static void main(String[] words) throws Exception {
        if (words.length == 0) {
            Exchange.runFirst(AllToAll.class, MEMBERS - 1, "member", AllToAll::first);
        } else {
            try (Exchange first = Exchange.join(words[1])) {
                int number = first.receive()[0];
                takePart(first.deviceUri(), number, own -> share(first, own), first::meet);
            }
        }
    }

    /// What a member does with the others.
    private interface Sharing {
        /// Tells the others of this member, and learns of them.
        List<List<byte[]>> share(List<byte[]> introduction) throws IOException;
    }

    private interface Meeting {
        /// Waits until all are here.
        void meet() throws IOException;
    }

    private static void first(List<Exchange> others) throws Exception {
        for (int i = 0; i < others.size(); i++) {
            others.get(i).send(new byte[] {(byte) (i + 1)});
        }
        takePart(
                others.getFirst().deviceUri(),
                0,
                own -> share(others, own),
                () -> {
                    for (Exchange other : others) {
                        other.receive();
                    }
                    for (Exchange other : others) {
                        other.send(new byte[0]);
                    }
                });
    }

    /// The first process gathers what all say, and tells all.
    private static List<List<byte[]>> share(List<Exchange> others, List<byte[]> own)
            throws IOException {
        List<List<byte[]>> all = new ArrayList<>(List.of(own));
        for (Exchange other : others) {
            all.add(receive(other, own.size()));
        }
        for (Exchange other : others) {
            for (List<byte[]> introduction : all) {
                send(other, introduction);
            }
        }
        return all;
    }

    private static List<List<byte[]>> share(Exchange first, List<byte[]> own) throws IOException {
        send(first, own);
        List<List<byte[]>> all = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            all.add(receive(first, own.size()));
        }
        return all;
    }

    private static void send(Exchange to, List<byte[]> parts) throws IOException {
        for (byte[] part : parts) {
            to.send(part);
        }
    }

    private static List<byte[]> receive(Exchange from, int count) throws IOException {
        List<byte[]> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(from.receive());
        }
        return parts;
    }

    private static void takePart(String uri, int number, Sharing sharing, Meeting meeting)
            throws Exception {
        try (Device card = Fabric.open(uri);
                DocaDev dev = DocaDev.of(card);
                DocaDpa dpa =
                        DocaDpa.create(
                                        dev,
                                        DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast(), card))
                                .app(AllToAllKernelsStub.APP)
                                .start();
                AllToAllMember member = new AllToAllMember(dev, dpa, MEMBERS, number, RANKS)) {
            member.connect(sharing.share(member.introduction()), ROUNDS);
            meeting.meet();
            member.launch();
            long bad = member.await(LIMIT);
            if (bad != 0) {
                throw new IllegalStateException(
                        "%d words of member %d are not what was sent".formatted(bad, number));
            }
            if (number == 0) {
                System.out.printf(
                        "%d ranks in %d processes had all blocks in each of %d rounds%n",
                        MEMBERS * RANKS, MEMBERS, ROUNDS);
            }
            meeting.meet();
        }
    }
}
