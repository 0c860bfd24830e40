package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.DpaThread;
import java.util.Objects;

/// Finds where in a program something happened.
public final class Places {
    /// Every package of the machine begins with this; programs may lie in the package of the API
    /// itself.
    private static final String MACHINE = DpaThread.class.getPackageName() + ".";

    /// What kernels must not call, but may try to.
    private static final String PROCESS = "dev.outboard.dpa.process.DpaProcess";

    /// Reads and writes the fields of queue entries for programs.
    private static final String LAYOUTS = "dev.outboard.dpa.nic.layout.";

    /// What of FlexIO is for device code.
    private static final String FLEXIO = "dev.outboard.dpa.flexio.dev.";

    private Places() {}

    /// The place of the program from which a throwable came: the innermost frame that is not the
    /// machine's own.
    public static CodePlace of(Throwable thrown) {
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (!isMachine(frame.getClassName()) && !frame.getClassName().startsWith("java.")) {
                return place(frame);
            }
        }
        return CodePlace.NONE;
    }

    /// Whether a class belongs to the machine, and not to a program that it runs.
    static boolean isMachine(String className) {
        if (className.equals(DpaThread.class.getName())
                || className.equals(PROCESS)
                || className.startsWith(LAYOUTS)
                || className.startsWith(FLEXIO)) {
            return true;
        }
        // A sub-package has a dot after the name of the package; a class nested in one has a $.
        return className.startsWith(MACHINE) && className.indexOf('.', MACHINE.length()) >= 0;
    }

    /// The place of a frame.
    static CodePlace place(StackTraceElement frame) {
        String file = Objects.requireNonNullElseGet(frame.getFileName(), frame::getClassName);
        return new CodePlace(file, Math.max(0, frame.getLineNumber()), 0, frame.getMethodName());
    }
}
