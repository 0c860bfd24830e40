package dev.outboard.dpa.doca;

import dev.outboard.dpa.flexio.FlexioMsgStream;
import dev.outboard.dpa.flexio.FlexioMsgStream.Attributes;
import dev.outboard.dpa.flexio.FlexioMsgStream.Mode;
import dev.outboard.dpa.flexio.FlexioProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// Where what device code logs and prints goes: to the end of a file, or to standard output. The
/// thread waits until it is there. The file is made for the first line.
final class DeviceLog {
    private static final System.Logger LOGGER = System.getLogger(DeviceLog.class.getName());

    private final Optional<Path> file;
    private boolean failed;

    private DeviceLog(Optional<Path> file) {
        this.file = file;
    }

    /// Opens the first stream of a process, which ends with it.
    static void open(FlexioProcess process, DocaDpaLogLevel level, Optional<Path> file) {
        Attributes attributes = Attributes.of(level.required(), Mode.SYNC);
        FlexioMsgStream.create(process, attributes, new DeviceLog(file)::write);
    }

    /// One line at a time.
    private void write(String message) {
        String line = message.endsWith("\n") ? message : message + "\n";
        if (file.isEmpty()) {
            System.out.print(line);
            return;
        }
        try {
            Files.writeString(
                    file.get(), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            if (!failed) {
                LOGGER.log(
                        System.Logger.Level.WARNING,
                        "What device code logs could not be written to " + file.get(),
                        e);
            }
            failed = true;
        }
    }
}
