package dev.outboard.dpa.cc;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpa.doca.dev.DocaDpaDevHashTable;
import dev.outboard.dpa.doca.dev.DocaDpaDevLog;
import dev.outboard.dpa.doca.dev.DocaDpaDevMemcpy;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.rv.Ecalls;
import dev.outboard.dpa.rv.RvHart;

/// DPA-RV-2: the environment calls of DOCA DPA: each is the function that kernels in Java call.
final class DocaCalls implements Ecalls {
    @Override
    public long call(RvHart hart, DpaThread thread, long number) {
        if (number < CallNumbers.DOCA_HASH_ADD) {
            return ofThread(hart, thread, (int) number);
        }
        if (number < CallNumbers.DOCA_COMPLETION_NEXT) {
            return ofTables(hart, thread, (int) number);
        }
        if (number < CallNumbers.DOCA_BUF) {
            return ofCompletions(hart, thread, (int) number);
        }
        if (number < CallNumbers.DOCA_EVENT_GET) {
            return ofBuffers(hart, thread, (int) number);
        }
        if (number < CallNumbers.DOCA_RDMA_WRITE) {
            return ofEvents(hart, thread, (int) number);
        }
        if (number < CallNumbers.DOCA_RDMA_BUF_WRITE) {
            return ofRdma(hart, thread, (int) number);
        }
        return number < CallNumbers.DOCA_RDMA_PART_WRITE
                ? ofRdmaBuffers(hart, thread, (int) number)
                : ofRdmaParts(hart, thread, (int) number);
    }

    private static long ofThread(RvHart hart, DpaThread thread, int number) {
        switch (number) {
            case CallNumbers.DOCA_THREAD_RANK -> {
                return DocaDpaDev.threadRank(thread);
            }
            case CallNumbers.DOCA_NUM_THREADS -> {
                return DocaDpaDev.numThreads(thread);
            }
            case CallNumbers.DOCA_YIELD -> DocaDpaDev.yieldUnit(thread);
            case CallNumbers.DOCA_RESCHEDULE -> DocaDpaDev.threadReschedule(thread);
            case CallNumbers.DOCA_FINISH -> DocaDpaDev.threadFinish(thread);
            case CallNumbers.DOCA_LOCAL_STORAGE -> {
                return DocaDpaDev.threadLocalStorage(thread);
            }
            case CallNumbers.DOCA_DEVICE_SET -> DocaDpaDev.deviceSet(thread, hart.argument(0));
            case CallNumbers.DOCA_NOTIFY -> DocaDpaDev.threadNotify(thread, hart.argument(0));
            case CallNumbers.DOCA_LOG -> log(hart, thread);
            case CallNumbers.DOCA_TRACE -> trace(hart, thread);
            default -> {
                return RvHart.unknownCall(number);
            }
        }
        return 0;
    }

    private static void log(RvHart hart, DpaThread thread) {
        DocaDpaDevLog.log(
                thread,
                (int) hart.argument(0),
                DeviceCalls.text(thread, hart.argument(1)),
                DeviceCalls.words(thread, hart.argument(2), hart.argument(3)));
    }

    private static void trace(RvHart hart, DpaThread thread) {
        DocaDpaDevLog.log(
                thread,
                DocaDpaDevLog.DEBUG,
                "trace %lu %lu %lu %lu %lu",
                hart.argument(0),
                hart.argument(1),
                hart.argument(2),
                hart.argument(3),
                hart.argument(4));
    }

    private static long ofTables(RvHart hart, DpaThread thread, int number) {
        switch (number) {
            case CallNumbers.DOCA_HASH_ADD ->
                    DocaDpaDevHashTable.add(
                            thread, hart.argument(0), (int) hart.argument(1), hart.argument(2));
            case CallNumbers.DOCA_HASH_REMOVE ->
                    DocaDpaDevHashTable.remove(thread, hart.argument(0), (int) hart.argument(1));
            case CallNumbers.DOCA_HASH_FIND -> {
                return DocaDpaDevHashTable.find(
                                thread, hart.argument(0), (int) hart.argument(1), hart.argument(2))
                        ? 1
                        : 0;
            }
            default -> {
                return RvHart.unknownCall(number);
            }
        }
        return 0;
    }

    private static long ofCompletions(RvHart hart, DpaThread thread, int number) {
        switch (number) {
            case CallNumbers.DOCA_COMPLETION_NEXT -> {
                return DocaDpaDevCompletion.next(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_COMPLETION_TYPE -> {
                return DocaDpaDevCompletion.type(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_COMPLETION_USER_DATA -> {
                return DocaDpaDevCompletion.userData(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_COMPLETION_IMMEDIATE -> {
                return DocaDpaDevCompletion.immediate(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_COMPLETION_BYTES -> {
                return DocaDpaDevCompletion.receivedBytes(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_COMPLETION_COUNTER -> {
                return DocaDpaDevCompletion.workCounter(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_COMPLETION_QUEUE -> {
                return DocaDpaDevCompletion.queueNumber(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_COMPLETION_SYNDROME -> {
                return DocaDpaDevCompletion.errorSyndrome(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_COMPLETION_ACK ->
                    DocaDpaDevCompletion.ack(thread, hart.argument(0), hart.argument(1));
            case CallNumbers.DOCA_COMPLETION_REQUEST ->
                    DocaDpaDevCompletion.requestNotification(thread, hart.argument(0));
            default -> {
                return RvHart.unknownCall(number);
            }
        }
        return 0;
    }

    private static long ofBuffers(RvHart hart, DpaThread thread, int number) {
        switch (number) {
            case CallNumbers.DOCA_BUF -> {
                return DocaDpaDevBuf.arrayGetBuf(thread, hart.argument(0), hart.argument(1));
            }
            case CallNumbers.DOCA_BUF_ADDRESS -> {
                return DocaDpaDevBuf.getAddr(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_BUF_LENGTH -> {
                return DocaDpaDevBuf.getLen(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_BUF_POINTER -> {
                return DocaDpaDevBuf.getExternalPtr(thread, hart.argument(0), hart.argument(1));
            }
            case CallNumbers.DOCA_MMAP_POINTER -> {
                return DocaDpaDevBuf.mmapGetExternalPtr(
                        thread, (int) hart.argument(0), hart.argument(1));
            }
            case CallNumbers.DOCA_COPY_BEGIN ->
                    DocaDpaDevMemcpy.memcpyNb(
                            thread,
                            hart.argument(0),
                            hart.argument(1),
                            hart.argument(2),
                            hart.argument(3),
                            hart.argument(4));
            case CallNumbers.DOCA_TRANSPOSE_BEGIN -> transpose(hart, thread);
            case CallNumbers.DOCA_COPIES_AWAIT -> DocaDpaDevMemcpy.synchronize(thread);
            case CallNumbers.DOCA_COPY_POST ->
                    DocaDpaDevMemcpy.postMemcpy(
                            thread,
                            hart.argument(0),
                            (int) hart.argument(1),
                            hart.argument(2),
                            (int) hart.argument(3),
                            hart.argument(4),
                            hart.argument(5),
                            (int) hart.argument(6));
            case CallNumbers.DOCA_BUF_COPY_POST ->
                    DocaDpaDevMemcpy.postBufMemcpy(
                            thread,
                            hart.argument(0),
                            hart.argument(1),
                            hart.argument(2),
                            (int) hart.argument(3));
            default -> {
                return RvHart.unknownCall(number);
            }
        }
        return 0;
    }

    private static void transpose(RvHart hart, DpaThread thread) {
        DocaDpaDevMemcpy.memcpyTranspose2dNb(
                thread,
                hart.argument(0),
                hart.argument(1),
                hart.argument(2),
                hart.argument(3),
                hart.argument(4),
                (int) hart.argument(5),
                (int) hart.argument(6) >>> Short.SIZE,
                (int) hart.argument(6) & 0xFFFF);
    }

    private static long ofEvents(RvHart hart, DpaThread thread, int number) {
        switch (number) {
            case CallNumbers.DOCA_EVENT_GET -> {
                return DocaDpaDevSyncEvent.get(thread, hart.argument(0));
            }
            case CallNumbers.DOCA_EVENT_SET ->
                    DocaDpaDevSyncEvent.updateSet(thread, hart.argument(0), hart.argument(1));
            case CallNumbers.DOCA_EVENT_ADD ->
                    DocaDpaDevSyncEvent.updateAdd(thread, hart.argument(0), hart.argument(1));
            case CallNumbers.DOCA_EVENT_WAIT ->
                    DocaDpaDevSyncEvent.waitGt(
                            thread, hart.argument(0), hart.argument(1), hart.argument(2));
            case CallNumbers.DOCA_EVENT_POST_GREATER ->
                    DocaDpaDevSyncEvent.postWaitGt(
                            thread, hart.argument(0), hart.argument(1), hart.argument(2));
            case CallNumbers.DOCA_EVENT_POST_OTHER ->
                    DocaDpaDevSyncEvent.postWaitNe(
                            thread, hart.argument(0), hart.argument(1), hart.argument(2));
            default -> {
                return RvHart.unknownCall(number);
            }
        }
        return 0;
    }

    private static long ofRdma(RvHart hart, DpaThread thread, int number) {
        switch (number) {
            case CallNumbers.DOCA_RDMA_WRITE ->
                    DocaDpaDevRdma.postWrite(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            high(hart, 2),
                            hart.argument(3),
                            low(hart, 2),
                            hart.argument(4),
                            hart.argument(5),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_WRITE_IMMEDIATE ->
                    DocaDpaDevRdma.postWriteImm(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            high(hart, 2),
                            hart.argument(3),
                            low(hart, 2),
                            hart.argument(4),
                            hart.argument(5),
                            (int) hart.argument(6),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_READ ->
                    DocaDpaDevRdma.postRead(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            high(hart, 2),
                            hart.argument(3),
                            low(hart, 2),
                            hart.argument(4),
                            hart.argument(5),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_SEND ->
                    DocaDpaDevRdma.postSend(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            (int) hart.argument(2),
                            hart.argument(3),
                            hart.argument(4),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_SEND_IMMEDIATE ->
                    DocaDpaDevRdma.postSendImm(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            (int) hart.argument(2),
                            hart.argument(3),
                            hart.argument(4),
                            (int) hart.argument(5),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_RECEIVE ->
                    DocaDpaDevRdma.postReceive(
                            thread,
                            hart.argument(0),
                            (int) hart.argument(1),
                            hart.argument(2),
                            hart.argument(3));
            case CallNumbers.DOCA_RDMA_ADD ->
                    DocaDpaDevRdma.postAtomicFetchAdd(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            (int) hart.argument(2),
                            hart.argument(3),
                            hart.argument(4),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_SIGNAL_SET ->
                    DocaDpaDevRdma.signalSet(
                            thread,
                            hart.argument(0),
                            (int) hart.argument(1),
                            hart.argument(2),
                            hart.argument(3));
            case CallNumbers.DOCA_RDMA_SIGNAL_ADD ->
                    DocaDpaDevRdma.signalAdd(
                            thread,
                            hart.argument(0),
                            (int) hart.argument(1),
                            hart.argument(2),
                            hart.argument(3));
            case CallNumbers.DOCA_RDMA_AWAIT ->
                    DocaDpaDevRdma.synchronize(thread, hart.argument(0));
            default -> {
                return RvHart.unknownCall(number);
            }
        }
        return 0;
    }

    private static long ofRdmaBuffers(RvHart hart, DpaThread thread, int number) {
        switch (number) {
            case CallNumbers.DOCA_RDMA_BUF_WRITE ->
                    DocaDpaDevRdma.postBufWrite(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            hart.argument(2),
                            hart.argument(3),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_BUF_WRITE_IMMEDIATE ->
                    DocaDpaDevRdma.postBufWriteImm(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            hart.argument(2),
                            hart.argument(3),
                            (int) hart.argument(4),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_BUF_READ ->
                    DocaDpaDevRdma.postBufRead(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            hart.argument(2),
                            hart.argument(3),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_BUF_SEND ->
                    DocaDpaDevRdma.postBufSend(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            hart.argument(2),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_BUF_SEND_IMMEDIATE ->
                    DocaDpaDevRdma.postBufSendImm(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            hart.argument(2),
                            (int) hart.argument(3),
                            high(hart, 1));
            case CallNumbers.DOCA_RDMA_BUF_RECEIVE ->
                    DocaDpaDevRdma.postBufReceive(thread, hart.argument(0), hart.argument(1));
            case CallNumbers.DOCA_RDMA_BUF_ADD ->
                    DocaDpaDevRdma.postBufAtomicFetchAdd(
                            thread,
                            hart.argument(0),
                            low(hart, 1),
                            hart.argument(2),
                            hart.argument(3),
                            high(hart, 1));
            default -> {
                return RvHart.unknownCall(number);
            }
        }
        return 0;
    }

    private static long ofRdmaParts(RvHart hart, DpaThread thread, int number) {
        switch (number) {
            case CallNumbers.DOCA_RDMA_PART_WRITE ->
                    DocaDpaDevRdma.write(
                            thread,
                            hart.argument(0),
                            hart.argument(1),
                            hart.argument(2),
                            hart.argument(3),
                            hart.argument(4),
                            hart.argument(5));
            case CallNumbers.DOCA_RDMA_PART_READ ->
                    DocaDpaDevRdma.read(
                            thread,
                            hart.argument(0),
                            hart.argument(1),
                            hart.argument(2),
                            hart.argument(3),
                            hart.argument(4),
                            hart.argument(5));
            case CallNumbers.DOCA_RDMA_PART_SEND ->
                    DocaDpaDevRdma.postSend(
                            thread,
                            hart.argument(0),
                            hart.argument(1),
                            hart.argument(2),
                            hart.argument(3));
            case CallNumbers.DOCA_RDMA_PART_RECEIVE ->
                    DocaDpaDevRdma.postReceive(
                            thread,
                            hart.argument(0),
                            hart.argument(1),
                            hart.argument(2),
                            hart.argument(3));
            case CallNumbers.DOCA_RDMA_PART_ADD ->
                    DocaDpaDevRdma.atomicFetchAdd(
                            thread,
                            hart.argument(0),
                            hart.argument(1),
                            hart.argument(2),
                            hart.argument(3));
            default -> {
                return RvHart.unknownCall(number);
            }
        }
        return 0;
    }

    /// The lower half of an argument: a connection, or the mmap of a source.
    private static int low(RvHart hart, int index) {
        return (int) hart.argument(index);
    }

    /// The upper half of an argument: flags, or the mmap of a target.
    private static int high(RvHart hart, int index) {
        return (int) (hart.argument(index) >>> Integer.SIZE);
    }
}
