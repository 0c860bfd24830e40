package dev.outboard.dpa.example;

import static dev.outboard.dpa.example.StoreLayout.SHARDS;
import static dev.outboard.dpa.example.StoreLayout.mail;
import static dev.outboard.dpa.example.StoreLayout.shard;
import static dev.outboard.dpa.example.StoreLayout.slot;

import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.Op;

/// The threads that meet the NIC: the handler of received requests, the thread that posts receive
/// entries, and the one that sends. A comment `removable: ID` names an operation that a test takes
/// out.
final class StoreKernels {
    private StoreKernels() {}

    /// An event handler: hands each request that the NIC has received to the thread of its key.
    record Front(StoreLayout layout) implements Kernel {
        @Override
        public void run(DpaThread thread) {
            long next = thread.load64(layout.frontState);
            if (next == 0) {
                thread.configureOutbox(layout.outbox);
                thread.configureWindow(layout.key);
            }
            thread.windowReadInv(); // removable: front-config
            long mask = thread.load64(layout.config);
            while (isNext(thread.load64(slot(layout.receiveCompletions, next)), next)) {
                long buffer = thread.load64(slot(layout.receiveCompletions, next) + 8);
                thread.memoryFence(Op.R, Op.R); // removable: front-needless
                if (thread.load64(buffer) == StoreLayout.STOP) {
                    stop(thread, next);
                    return;
                }
                int shard = shard(thread.load64(buffer + 8));
                long count = thread.load64(layout.frontState + 8 + 8L * shard);
                long mail = mail(layout.inbox[shard], count);
                thread.store64(mail + 8, buffer);
                thread.store64(mail + 16, mask);
                thread.memoryFence(Op.W, Op.W); // removable: front-mail
                thread.store64(mail, count + 1);
                thread.store64(layout.frontState + 8 + 8L * shard, count + 1);
                next++;
            }
            thread.store64(layout.frontState, next);
            thread.store64(layout.receiveIndex, next);
            thread.memoryWriteback(); // removable: front-index
            long arm = Doorbell.arm(StoreLayout.RECEIVE_COMPLETIONS, (int) next);
            thread.store64(StoreLayout.ARM_DOORBELL, arm); // removable: front-arm
            thread.reschedule();
        }

        private static boolean isNext(long owner, long next) {
            return owner == next + 1;
        }

        private void stop(DpaThread thread, long next) {
            thread.store64(layout.receiveIndex, next + 1);
            thread.memoryWriteback(); // removable: front-last-index
            thread.store64(layout.stop, 1); // removable: front-stop
            thread.finish();
        }
    }

    /// Posts the buffers again that the shards are done with.
    record Refill(StoreLayout layout) implements Kernel {
        @Override
        public void run(DpaThread thread) {
            long[] taken = new long[SHARDS];
            long posted = StoreLayout.POSTED;
            while (true) {
                int from = wait(thread, taken);
                if (from < 0) {
                    return;
                }
                long word = thread.load64(mail(layout.done[from], taken[from]));
                taken[from]++;
                thread.store64(slot(layout.receiveEntries, posted), word & -StoreLayout.LINE);
                thread.memoryFence(Op.W, Op.W); // removable: refill-record
                posted++;
                thread.store64(layout.receiveRecord, posted);
                thread.memoryWriteback(); // removable: refill-writeback
            }
        }

        /// Returns who has a buffer, or -1 at the end.
        private int wait(DpaThread thread, long[] taken) {
            long first = mail(layout.done[0], taken[0]);
            long second = mail(layout.done[1], taken[1]);
            long stop = layout.stop;
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
    }

    /// Sends the responses of the shards, each until it has arrived.
    static class Sender implements Kernel {
        final StoreLayout layout;

        Sender(StoreLayout layout) {
            this.layout = layout;
        }

        @Override
        public void run(DpaThread thread) {
            thread.configureOutbox(layout.outbox);
            long[] taken = new long[SHARDS];
            long sent = 0;
            while (true) {
                int from = wait(thread, taken);
                if (from < 0) {
                    return;
                }
                long response = thread.load64(mail(layout.outboxes[from], taken[from]) + 8);
                taken[from]++;
                boolean arrived = false;
                while (!arrived) {
                    if (sent % 4 == 3) {
                        postUrgent(thread, response, sent);
                    } else {
                        post(thread, response, sent);
                    }
                    arrived = complete(thread, slot(layout.sendCompletions, sent), sent + 1);
                    sent++;
                    thread.store64(layout.sendIndex, sent);
                    thread.memoryWriteback(); // removable: sender-index
                }
            }
        }

        private void post(DpaThread thread, long response, long sent) {
            long entry = slot(layout.sendEntries, sent);
            thread.store64(entry, response);
            thread.store64(entry + 8, sent);
            thread.memoryWriteback(); // removable: sender-entry
            long ring = Doorbell.send(StoreLayout.SEND_QUEUE, (int) sent + 1);
            thread.store64(StoreLayout.SEND_DOORBELL, ring); // removable: sender-ring
        }

        /// The fence is for the counter, which is to be read after the entry is out.
        private void postUrgent(DpaThread thread, long response, long sent) {
            long entry = slot(layout.sendEntries, sent);
            thread.store64(entry, response);
            thread.store64(entry + 8, sent);
            thread.memoryWriteback(); // removable: sender-urgent
            thread.systemFence();
            long ring = Doorbell.send(StoreLayout.SEND_QUEUE, (int) sent + 1);
            thread.store64(StoreLayout.SEND_DOORBELL, ring);
        }

        /// Waits for a completion; returns whether it tells of success.
        boolean complete(DpaThread thread, long completion, long owner) {
            long failure = owner | StoreLayout.FAILED;
            while (true) {
                long found = thread.load64(completion);
                if (found == owner) {
                    return true;
                }
                if (found == failure) {
                    return false;
                }
            }
        }

        private int wait(DpaThread thread, long[] taken) {
            long first = mail(layout.outboxes[0], taken[0]);
            long second = mail(layout.outboxes[1], taken[1]);
            long stop = layout.stop;
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
    }
}
