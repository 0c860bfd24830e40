package dev.outboard.dpa.example;

import static dev.outboard.dpa.example.StoreLayout.SHARDS;
import static dev.outboard.dpa.example.StoreLayout.hostSlot;
import static dev.outboard.dpa.example.StoreLayout.mail;
import static dev.outboard.dpa.example.StoreLayout.shard;

import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;

/// The threads behind the queues: the shards of the table, the port for the host's own requests,
/// the log and the statistics. A comment `removable: ID` names an operation that a test takes out.
final class StoreWorkers {
    private static final int SNAPSHOT_EVERY = 4;

    private StoreWorkers() {}

    /// Owns the keys of its shard.
    record Shard(StoreLayout layout, int number) implements Kernel {
        @Override
        public void run(DpaThread thread) {
            long net = 0;
            long local = 0;
            long logged = 0;
            while (true) {
                long netMail = mail(layout.inbox[number], net);
                long localMail = mail(layout.localInbox[number], local);
                int from = wait(thread, netMail, localMail, layout.stop);
                if (from == 0) {
                    return;
                }
                if (from == 1) {
                    logged = serveNet(thread, netMail, net, logged);
                    net++;
                } else {
                    logged = serveLocal(thread, localMail, local, logged);
                    local++;
                }
            }
        }

        private static int wait(DpaThread thread, long net, long local, long stop) {
            while (true) {
                if (thread.load64(net) != 0) {
                    return 1;
                }
                if (thread.load64(local) != 0) {
                    return 2;
                }
                if (thread.load64(stop) != 0) {
                    return 0;
                }
            }
        }

        /// Answers through the sender, and gives the buffer back with nothing of the request in it.
        private long serveNet(DpaThread thread, long netMail, long count, long logged) {
            long buffer = thread.load64(netMail + 8);
            long mask = thread.load64(netMail + 16);
            long operation = thread.load64(buffer);
            long key = thread.load64(buffer + 8);
            long value = thread.load64(buffer + 16) & mask;
            long request = thread.load64(buffer + 24);
            long response = mail(layout.responses[number], count);
            thread.store64(response + 8, serve(thread, operation, key, value));
            thread.store64(response, request);
            thread.memoryWriteback(); // removable: shard-response
            long out = mail(layout.outboxes[number], count);
            thread.store64(out + 8, response);
            thread.memoryFence(Op.W, Op.W); // removable: shard-outbox
            thread.store64(out, count + 1);
            for (int i = 0; i < 4; i++) {
                thread.store64(buffer + 8L * i, 0);
            }
            thread.memoryWriteback(); // removable: shard-clear
            thread.store64(mail(layout.done[number], count), buffer + 1);
            return operation == StoreLayout.PUT ? log(thread, logged, key, value) : logged;
        }

        private long serveLocal(DpaThread thread, long localMail, long count, long logged) {
            long operation = thread.load64(localMail + 8);
            long key = thread.load64(localMail + 16);
            long value = thread.load64(localMail + 24);
            long answer = mail(layout.localAnswers[number], count);
            thread.store64(answer + 8, serve(thread, operation, key, value));
            thread.memoryFence(Op.W, Op.W); // removable: shard-answer
            thread.store64(answer, count + 1);
            return operation == StoreLayout.PUT ? log(thread, logged, key, value) : logged;
        }

        private long serve(DpaThread thread, long operation, long key, long value) {
            long entry = mail(layout.tables[number], key / SHARDS % StoreLayout.MAILBOX);
            if (operation == StoreLayout.PUT) {
                thread.store64(entry, value);
            }
            thread.spinLock(layout.lock);
            long at = layout.counters + 8 * operation;
            thread.store64(at, thread.load64(at) + 1);
            thread.spinUnlock(layout.lock);
            return thread.load64(entry);
        }

        private long log(DpaThread thread, long logged, long key, long value) {
            long mail = mail(layout.logbox[number], logged);
            thread.store64(mail + 8, key);
            thread.store64(mail + 16, value);
            thread.fence(Space.HEAP, Op.W, Op.W); // removable: shard-log
            thread.store64(mail, logged + 1);
            return logged + 1;
        }
    }

    /// Serves the ring of the host.
    record HostPort(StoreLayout layout) implements Kernel {
        @Override
        public void run(DpaThread thread) {
            thread.configureOutbox(layout.outbox);
            thread.configureWindow(layout.key);
            long[] counts = new long[SHARDS];
            for (long n = 0; ; n++) {
                long request = hostSlot(layout.localRequests, n);
                long sign = n + 1;
                while (thread.load64(request) != sign) {
                    thread.windowReadInv(); // removable: port-poll
                }
                thread.windowReadInv(); // removable: port-request
                long operation = thread.load64(request + 8);
                if (operation == StoreLayout.STOP) {
                    return;
                }
                long key = thread.load64(request + 16);
                int shard = shard(key);
                long mail = mail(layout.localInbox[shard], counts[shard]);
                thread.store64(mail + 8, operation);
                thread.store64(mail + 16, key);
                thread.store64(mail + 24, thread.load64(request + 24));
                thread.memoryFence(Op.W, Op.W); // removable: port-mail
                thread.store64(mail, counts[shard] + 1);
                long answer = mail(layout.localAnswers[shard], counts[shard]++);
                while (thread.load64(answer) == 0) {}
                respond(thread, n, thread.load64(answer + 8));
            }
        }

        private void respond(DpaThread thread, long n, long answer) {
            long response = hostSlot(layout.localResponses, n);
            thread.store64(response + 8, answer);
            thread.windowWriteback(); // removable: port-data
            thread.store64(response, n + 1);
            thread.windowWriteback(); // removable: port-flag
            if (n % StoreLayout.HOST_RING == StoreLayout.HOST_RING - 1) {
                thread.store64(layout.summary, n + 1);
                thread.windowWriteback(); // removable: port-summary
                long interrupt = Doorbell.interrupt(StoreLayout.INTERRUPT);
                thread.store64(StoreLayout.MSIX_DOORBELL, interrupt);
            }
        }
    }

    /// Writes what was put into host memory, and now and then what has become of it.
    record Logger(StoreLayout layout) implements Kernel {
        @Override
        public void run(DpaThread thread) {
            thread.configureWindow(layout.key);
            long[] taken = new long[SHARDS];
            long written = 0;
            long sum = 0;
            long snapshots = 0;
            while (true) {
                long first = mail(layout.logbox[0], taken[0]);
                long second = mail(layout.logbox[1], taken[1]);
                int from = wait(thread, first, second, layout.stop);
                if (from < 0) {
                    return;
                }
                long mail = mail(layout.logbox[from], taken[from]++);
                long value = thread.load64(mail + 16);
                long record = mail(layout.log, written);
                thread.fence(Space.SYSTEM, Op.R, Op.W); // removable: logger-needless
                thread.store64(record, thread.load64(mail + 8));
                thread.store64(record + 8, value);
                thread.windowFence(Op.W, Op.W); // removable: logger-record
                written++;
                sum += value;
                thread.store64(layout.logIndex, written);
                thread.windowWriteback(); // removable: logger-index
                if (written % SNAPSHOT_EVERY == 0) {
                    snapshot(thread, written, sum, ++snapshots);
                }
            }
        }

        private static int wait(DpaThread thread, long first, long second, long stop) {
            while (true) {
                if (thread.load64(first) != 0) {
                    return 0;
                }
                if (thread.load64(second) != 0) {
                    return 1;
                }
                if (thread.load64(stop) != 0) {
                    return -1;
                }
            }
        }

        /// For the statistics: a thread of the DPA that reads it in host memory.
        private void snapshot(DpaThread thread, long written, long sum, long snapshots) {
            long answer = layout.snapshotAnswer;
            long last = snapshots - 1;
            while (thread.load64(answer) != last) {}
            thread.store64(layout.snapshot, written);
            thread.store64(layout.snapshot + 8, sum);
            thread.windowWriteback(); // removable: logger-snapshot
            thread.store64(layout.snapshotFlag, snapshots);
        }
    }

    /// Publishes statistics in DPA memory, from where the host copies them.
    record Statistics(StoreLayout layout) implements Kernel {
        @Override
        public void run(DpaThread thread) {
            thread.configureWindow(layout.key);
            for (long n = 1; ; n++) {
                if (!wait(thread, layout.snapshotFlag, n, layout.stop)) {
                    return;
                }
                thread.windowReadInv(); // removable: stats-snapshot
                long written = thread.load64(layout.snapshot);
                long sum = thread.load64(layout.snapshot + 8);
                thread.store64(layout.snapshotAnswer, n);
                thread.store64(layout.stats, written);
                thread.store64(layout.stats + 8, sum);
                thread.memoryWriteback(); // removable: stats-values
                thread.store64(layout.statsFlag, n);
                thread.windowWriteback(); // removable: stats-flag
            }
        }

        private static boolean wait(DpaThread thread, long flag, long n, long stop) {
            while (thread.load64(flag) != n) {
                if (thread.load64(stop) != 0) {
                    return false;
                }
            }
            return true;
        }
    }
}
