package dev.outboard.doca;

import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.MemoryHandle;
import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The devices of an [Mmap] and, while it is started, its registration with each of them, and what
/// execution environments know it by. The mmap's lock guards changes; any thread looks up.
final class Registrations {
    private volatile DocaDev[] devices = {};

    /// As long as `devices`, or empty while the mmap is stopped.
    private volatile MemoryRegion[] regions = {};

    private final Map<ExecutionEnvironment, MemoryHandle> handles = new HashMap<>();

    int count() {
        return devices.length;
    }

    boolean has(DocaDev dev) {
        return indexOf(dev) >= 0;
    }

    void add(DocaDev dev) {
        dev.use();
        DocaDev[] more = Arrays.copyOf(devices, devices.length + 1);
        more[devices.length] = dev;
        devices = more;
    }

    void remove(DocaDev dev) {
        int index = indexOf(dev);
        DocaDev[] old = devices;
        DocaDev[] fewer = Arrays.copyOf(old, old.length - 1);
        System.arraycopy(old, index + 1, fewer, index, fewer.length - index);
        devices = fewer;
        old[index].release();
    }

    /// Registers `segment` with every device, or with none.
    ///
    /// DCORE-MMAP-10, DCORE-MMAP-11: with every device, or with none and the reason.
    void register(MemorySegment segment, Access[] access) {
        MemoryRegion[] made = new MemoryRegion[devices.length];
        for (int i = 0; i < made.length; i++) {
            try {
                made[i] = devices[i].protectionDomain().register(segment, access);
            } catch (FabricException e) {
                for (int undo = 0; undo < i; undo++) {
                    made[undo].close();
                }
                throw DocaException.of("starting an mmap on " + devices[i], e);
            }
        }
        regions = made;
    }

    /// That of an environment: the one that it has, if it still knows it, or a new one.
    MemoryHandle handle(ExecutionEnvironment environment, Supplier<MemoryHandle> making) {
        MemoryHandle known = handles.get(environment);
        if (known == null || !known.isOpen()) {
            known = making.get();
            handles.put(environment, known);
        }
        return known;
    }

    /// Takes the keys back.
    void deregister() {
        handles.values().forEach(MemoryHandle::close);
        handles.clear();
        for (MemoryRegion region : regions) {
            region.close();
        }
        regions = new MemoryRegion[0];
    }

    /// Deregisters and lets go of the devices.
    void close() {
        deregister();
        for (DocaDev dev : devices) {
            dev.release();
        }
        devices = new DocaDev[0];
    }

    /// The registration with `dev`, if there is one now. Neither locks nor allocates.
    @Nullable MemoryRegion with(DocaDev dev) {
        MemoryRegion[] current = regions;
        int index = current.length == 0 ? -1 : indexOf(dev);
        return index < 0 || index >= current.length ? null : current[index];
    }

    private int indexOf(DocaDev dev) {
        DocaDev[] current = devices;
        for (int i = 0; i < current.length; i++) {
            if (current[i].isSameDevice(dev)) {
                return i;
            }
        }
        return -1;
    }
}
