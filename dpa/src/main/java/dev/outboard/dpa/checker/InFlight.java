package dev.outboard.dpa.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// DPA-CHK-9: what threads have given to the NIC and may not touch until they have seen its
/// completion.
final class InFlight {
    private static final long PENDING = Long.MAX_VALUE;

    private final Scene scene;
    private final List<Posted> posted = new ArrayList<>();
    private final List<Posted> free = new ArrayList<>();

    private static final class Posted {
        int actor;
        long token;
        long address;
        long end;
        int site;
        int nic;
        long completed;
    }

    InFlight(Scene scene) {
        this.scene = scene;
    }

    void post(ActorState by, long token, long address, long lengthBytes, int site) {
        sweep(by);
        Posted post = free.isEmpty() ? new Posted() : free.removeLast();
        post.actor = by.number;
        post.token = token;
        post.address = address;
        post.end = address + lengthBytes;
        post.site = site;
        post.completed = PENDING;
        posted.add(post);
    }

    /// The thread has seen something that the NIC wrote after it was done.
    private boolean isOver(Posted post, ActorState by) {
        return post.completed != PENDING && by.hasSeen(post.nic, post.completed + 1);
    }

    private void sweep(ActorState by) {
        for (int i = posted.size() - 1; i >= 0; i--) {
            Posted post = posted.get(i);
            if (isOver(post, by)) {
                Posted last = posted.removeLast();
                if (last != post) {
                    posted.set(i, last);
                }
                free.add(post);
            }
        }
    }

    void completed(ActorState nic, long token) {
        for (Posted post : posted) {
            if (post.token == token && post.completed == PENDING) {
                post.nic = nic.number;
                post.completed = nic.epoch();
            }
        }
    }

    /// There is a new block: what the NIC was done with before is of an older one.
    void forget(long address, long lengthBytes) {
        posted.removeIf(post ->
                post.completed != PENDING
                        && post.address < address + lengthBytes
                        && address < post.end);
    }

    /// A thread stores.
    void store(ActorState by, long address, int length, int site) {
        if (posted.isEmpty()) {
            return;
        }
        for (int i = 0; i < posted.size(); i++) {
            Posted post = posted.get(i);
            if (address < post.end
                    && post.address < address + length
                    && !isOver(post, by)
                    && scene.findings.isNew(
                            Rule.BUFFER_IN_FLIGHT, scene.actor(post.actor), post.site, by, site)) {
                scene.findings.add(
                        new Finding(
                                Rule.BUFFER_IN_FLIGHT,
                                Rule.BUFFER_IN_FLIGHT.severity(),
                                scene.findings.spot(
                                        scene.actor(post.actor), "post to the NIC", post.site),
                                scene.findings.spot(by, "store", site),
                                scene.findings.location(address),
                                Optional.empty(),
                                Optional.empty()));
            }
        }
    }
}
