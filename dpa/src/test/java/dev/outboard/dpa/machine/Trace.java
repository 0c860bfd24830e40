package dev.outboard.dpa.machine;

import java.util.ArrayList;
import java.util.List;

/// Writes down what happens in a run, one line each.
final class Trace implements Observer {
    final List<String> lines = new ArrayList<>();
    int[] stuck = {};

    @Override
    public void load(int actor, long address, int lengthBytes, int site) {
        lines.add("%d load %x %d @%d".formatted(actor, address, lengthBytes, site));
    }

    @Override
    public void store(int actor, long address, int lengthBytes, int site) {
        lines.add("%d store %x %d @%d".formatted(actor, address, lengthBytes, site));
    }

    @Override
    public void atomic(
            int actor, long address, int lengthBytes, AtomicOrder order, boolean stored, int site) {
        lines.add(
                "%d atomic %x %d %s %s @%d"
                        .formatted(actor, address, lengthBytes, order, stored, site));
    }

    @Override
    public void fence(int actor, Space space, Op predecessors, Op successors, int site) {
        lines.add("%d fence %s %s %s @%d".formatted(actor, space, predecessors, successors, site));
    }

    @Override
    public void memoryWriteback(int actor, int site) {
        lines.add("%d memoryWriteback @%d".formatted(actor, site));
    }

    @Override
    public void windowWriteback(int actor, int site) {
        lines.add("%d windowWriteback @%d".formatted(actor, site));
    }

    @Override
    public void windowReadInv(int actor, int site) {
        lines.add("%d windowReadInv @%d".formatted(actor, site));
    }

    @Override
    public void order(int actor) {
        lines.add("%d order".formatted(actor));
    }

    @Override
    public void announce(int actor, Announcement announcement, long token, long address, int site) {
        lines.add("%d announce %s %d %x @%d".formatted(actor, announcement, token, address, site));
    }

    @Override
    public void receive(int actor, long token, int site) {
        lines.add("%d receive %d @%d".formatted(actor, token, site));
    }

    @Override
    public void begin(int actor, boolean handler, long token) {
        lines.add("%d begin %s %d".formatted(actor, handler, token));
    }

    @Override
    public void end(int actor, Ending ending, int site) {
        lines.add("%d end %s".formatted(actor, ending));
    }

    @Override
    public void stuck(int[] spinning) {
        stuck = spinning.clone();
    }
}
