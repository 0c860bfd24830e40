package dev.outboard.dpa.flexio;

import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/// Hands on what a class logs.
final class LogRecorder extends Handler {
    private final Consumer<String> log;

    private LogRecorder(Consumer<String> log) {
        this.log = log;
    }

    /// Does something, and hands on each message of a class meanwhile.
    static void recording(Class<?> type, Consumer<String> log, Runnable action) {
        Logger logger = Logger.getLogger(type.getName());
        LogRecorder recorder = new LogRecorder(log);
        logger.addHandler(recorder);
        try {
            action.run();
        } finally {
            logger.removeHandler(recorder);
        }
    }

    @Override
    public void publish(LogRecord entry) {
        log.accept(new SimpleFormatter().formatMessage(entry));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
