package dev.outboard.dpa.flexio;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// What has been made and not been closed, in that order. Does not keep it from going. Any thread
/// may use it.
///
/// @param <T> what is equal to itself only
final class Living<T> {
    private final List<WeakReference<T>> all = new ArrayList<>();

    synchronized void add(T made) {
        all.removeIf(one -> one.refersTo(null));
        all.add(new WeakReference<>(made));
    }

    synchronized void remove(T closed) {
        all.removeIf(one -> one.refersTo(closed));
    }

    synchronized List<T> list() {
        return all.stream().map(WeakReference::get).filter(Objects::nonNull).toList();
    }
}
