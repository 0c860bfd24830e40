package dev.outboard.dpa.checker;

import dev.outboard.dpa.checker.ShadowMemory.Page;
import dev.outboard.dpa.checker.ShadowMemory.Write;
import dev.outboard.dpa.machine.AddressMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// DPA-CHK-15: accesses of DPA threads to the heap and to stacks.
final class Blocks {
    private final Scene scene;
    private final TreeMap<Long, Block> blocks = new TreeMap<>();
    private final List<Stack> stacks = new ArrayList<>();
    private @Nullable Block latest;

    private static final class Block {
        final long address;
        final long end;
        final long since;
        final int site;
        boolean freed;
        int freedSite;

        Block(long address, long lengthBytes, long since, int site) {
            this.address = address;
            this.end = address + lengthBytes;
            this.since = since;
            this.site = site;
        }

        boolean contains(long from) {
            return from >= address && from < end;
        }
    }

    private static final class Stack {
        final int actor;
        final long address;
        final long end;
        long since;

        Stack(int actor, long address, long lengthBytes) {
            this.actor = actor;
            this.address = address;
            this.end = address + lengthBytes;
        }
    }

    Blocks(Scene scene) {
        this.scene = scene;
    }

    void stack(int actor, long address, long lengthBytes) {
        stacks.add(new Stack(actor, address, lengthBytes));
    }

    /// DPA-HW-9: a stack keeps nothing from one activation to the next.
    void begin(int actor) {
        for (Stack stack : stacks) {
            if (stack.actor == actor) {
                stack.since = scene.events();
            }
        }
    }

    void allocate(long address, long lengthBytes, int site) {
        long end = address + lengthBytes;
        blocks.subMap(address, end).clear();
        blocks.put(address, new Block(address, lengthBytes, scene.events(), site));
        latest = null;
    }

    void free(long address, int site) {
        Block block = blocks.get(address);
        if (block != null) {
            block.freed = true;
            block.freedSite = site;
        }
    }

    /// A thread accesses memory of the process.
    ///
    /// @param load whether it needs a value there
    void access(
            ActorState by, Page page, long address, int length, int kind, boolean load, int site) {
        if (kind == AddressKind.HEAP) {
            if (!blocks.isEmpty()) {
                heap(by, page, address, length, load, site);
            }
        } else if (address >= AddressMap.STACKS && !stacks.isEmpty()) {
            stack(by, page, address, length, load, site);
        }
    }

    private void heap(ActorState by, Page page, long address, int length, boolean load, int site) {
        Block block = latest;
        if (block == null || !block.contains(address)) {
            Map.Entry<Long, Block> below = blocks.floorEntry(address);
            block = below == null ? null : below.getValue();
            latest = block;
        }
        if (block == null || address + length > block.end) {
            report(Rule.HEAP_OOB, by, "allocation", block == null ? 0 : block.site, address, site);
        } else if (block.freed) {
            report(Rule.USE_AFTER_FREE, by, "free", block.freedSite, address, site);
        } else if (load && isUninitialized(page, address, length, block.since)) {
            report(Rule.MEM_UNINIT, by, "allocation", block.site, address, site);
        }
    }

    private void stack(ActorState by, Page page, long address, int length, boolean load, int site) {
        for (Stack stack : stacks) {
            if (address >= stack.address && address < stack.end) {
                if (stack.actor != by.number) {
                    report(Rule.FOREIGN_STACK, by, "stack of another", 0, address, site);
                } else if (load && isUninitialized(page, address, length, stack.since)) {
                    report(Rule.MEM_UNINIT, by, "start of the activation", 0, address, site);
                }
                return;
            }
        }
    }

    private static boolean isUninitialized(Page page, long address, int length, long since) {
        int bytes = ShadowMemory.mask(address, length) & ~page.initialized(address);
        for (Write write = page.writes(address); write != null; write = write.next) {
            if (write.sequence > since) {
                bytes &= ~write.mask;
            }
        }
        return bytes != 0;
    }

    private void report(
            Rule rule, ActorState by, String action, int firstSite, long address, int site) {
        if (scene.findings.isNew(rule, by, firstSite, by, site)) {
            scene.findings.add(
                    new Finding(
                            rule,
                            rule.severity(),
                            new Spot("host", action, scene.findings.place(firstSite)),
                            scene.findings.spot(by, "access", site),
                            scene.findings.location(address),
                            Optional.empty(),
                            Optional.empty()));
        }
    }
}
