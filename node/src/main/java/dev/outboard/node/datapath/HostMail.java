package dev.outboard.node.datapath;

import static dev.outboard.node.datapath.ClientDescriptor.ANY_IMMEDIATE;
import static dev.outboard.node.datapath.ClientDescriptor.BUFFERS;
import static dev.outboard.node.datapath.ClientDescriptor.BYTE_COUNT;
import static dev.outboard.node.datapath.ClientDescriptor.DEPTH;
import static dev.outboard.node.datapath.ClientDescriptor.FAILED;
import static dev.outboard.node.datapath.ClientDescriptor.HOST_BELL;
import static dev.outboard.node.datapath.ClientDescriptor.MAIL;
import static dev.outboard.node.datapath.ClientDescriptor.MAILED;
import static dev.outboard.node.datapath.ClientDescriptor.MAIL_BYTES;
import static dev.outboard.node.datapath.ClientDescriptor.MESSAGE_BYTES;
import static dev.outboard.node.datapath.ClientDescriptor.OPCODE;
import static dev.outboard.node.datapath.ClientDescriptor.READ;
import static dev.outboard.node.datapath.ClientDescriptor.SYNDROME;
import static dev.outboard.node.datapath.ClientDescriptor.TEXT;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpacc.DpaLibrary;

/// How a handler tells its host of a completion that is none of a call.
@DpaLibrary
final class HostMail {
    private HostMail() {}

    /// Writes what has completed, with the message if it is one, and interrupts the host. A client
    /// that sends more messages than it may before the host has read them is no honest one: the
    /// last mail then stays as it is, and is counted all the same, which tells the host. Of
    /// failures, the first one tells what was the matter.
    static void write(DpaThread thread, long client, long entry, int opcode) {
        if (opcode >= CompletionEntry.REQUEST_ERROR) {
            if (thread.load64(client + FAILED) != 0) {
                return;
            }
            thread.store64(client + FAILED, 1);
        }
        long mailed = thread.load64(client + MAILED);
        if (mailed - thread.load64(client + READ) < DEPTH) {
            long mail = thread.load64(client + MAIL) + (mailed & (DEPTH - 1)) * MAIL_BYTES;
            thread.store64(mail + OPCODE, opcode);
            thread.store64(mail + BYTE_COUNT, CompletionEntry.byteCount(thread, entry));
            thread.store64(mail + ANY_IMMEDIATE, CompletionEntry.immediate(thread, entry));
            thread.store64(mail + SYNDROME, CompletionEntry.syndrome(thread, entry));
            if (opcode == CompletionEntry.RECEIVED_SEND) {
                copy(thread, client, entry, mail + TEXT);
            }
        }
        thread.memoryWriteback();
        thread.store64(client + MAILED, mailed + 1);
        thread.memoryWriteback();
        FlexioDev.triggerCompletionQueue(thread, (int) thread.load64(client + HOST_BELL));
    }

    private static void copy(DpaThread thread, long client, long entry, long to) {
        long buffer = CompletionEntry.workCounter(thread, entry) & (DEPTH - 1);
        long from = thread.load64(client + BUFFERS) + buffer * MESSAGE_BYTES;
        int length = CompletionEntry.byteCount(thread, entry);
        for (int i = 0; i < length; i += Long.BYTES) {
            thread.store64(to + i, thread.load64(from + i));
        }
    }
}
