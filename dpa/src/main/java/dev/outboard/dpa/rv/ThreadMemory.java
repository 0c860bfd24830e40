package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.run.AccessPort;
import dev.outboard.dpa.machine.run.FueledThread;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The memory that a thread reaches, for somebody who looks at it while the thread stands still: no
/// operation of the thread, so nothing else happens by it. Stores that the rules of weak memory
/// hold back are not seen.
public final class ThreadMemory {
    private ThreadMemory() {}

    /// Reads bytes as far as there are any that the thread may load.
    ///
    /// @param thread any thread of the machine
    /// @return `lengthBytes` or less
    public static byte[] read(DpaThread thread, long address, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        int done = 0;
        try {
            while (done < lengthBytes && !isRegister(thread, address + done)) {
                bytes[done] = reach(thread, address + done, false).get(ValueLayout.JAVA_BYTE, 0);
                done++;
            }
        } catch (FaultSignal fault) {
            // There is no more.
        }
        return Arrays.copyOf(bytes, done);
    }

    /// Writes bytes, as far as the thread may store there.
    ///
    /// @return whether that was all of them
    public static boolean write(DpaThread thread, long address, byte[] bytes) {
        try {
            for (int i = 0; i < bytes.length; i++) {
                if (isRegister(thread, address + i)) {
                    return false;
                }
                reach(thread, address + i, true).set(ValueLayout.JAVA_BYTE, 0, bytes[i]);
            }
        } catch (FaultSignal fault) {
            return false;
        }
        return true;
    }

    /// Reading a register of a device could change it.
    private static boolean isRegister(DpaThread thread, long address) {
        return !(thread instanceof BareThread) && port(thread).registers(address) != null;
    }

    private static MemorySegment reach(DpaThread thread, long address, boolean store) {
        if (thread instanceof BareThread bare) {
            BareMemory.Pages pages = bare.memory().reach(address, 1, store);
            return pages.bytes().asSlice(address - pages.range().from());
        }
        AccessPort port = port(thread);
        return port.reach(address, 1, store).asSlice(port.offset(address));
    }

    private static AccessPort port(DpaThread thread) {
        return ((FueledThread) thread).port();
    }
}
