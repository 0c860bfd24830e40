package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Lists of local buffers as operands: their lengths, their rules, and their memory as the pieces
/// of a work request. A null list is empty. Allocates nothing.
final class BufLists {
    private BufLists() {}

    /// What a list contributes as a source.
    ///
    /// DCORE-BUF-5: a source offers its data.
    static long gatherLength(@Nullable Buf list) {
        long length = 0;
        for (Buf buf = list; buf != null; buf = buf.next()) {
            length += buf.dataLen();
        }
        return length;
    }

    /// What a list can take as a destination.
    ///
    /// DCORE-BUF-4: a destination offers its tail.
    static long scatterCapacity(@Nullable Buf list) {
        long capacity = 0;
        for (Buf buf = list; buf != null; buf = buf.next()) {
            capacity += buf.tailLen();
        }
        return capacity;
    }

    /// What makes it unusable for `device`, however it is used.
    ///
    /// DRDMA-COM-9, DRDMA-PERM-4, DFLT-7, DFLT-11, DFLT-12: short enough, and of the device.
    static @Nullable ValidationRule check(@Nullable Buf list, int maxLength, DocaDev device) {
        int count = 0;
        for (Buf buf = list; buf != null; buf = buf.next()) {
            if (++count > maxLength) {
                return ValidationRule.LIST_TOO_LONG;
            }
            if (!buf.isOut()) {
                return ValidationRule.BUFFER_RETURNED;
            }
            if (buf.mmap().region(device) == null) {
                return ValidationRule.FOREIGN_DEVICE;
            }
        }
        return null;
    }

    /// What else the transport would find wrong with it.
    ///
    /// DRDMA-PERM-3, DFLT-6, DFLT-8: alive, and writable if it is a destination.
    static @Nullable ValidationRule checkMemory(@Nullable Buf list, boolean isDestination) {
        for (Buf buf = list; buf != null; buf = buf.next()) {
            if (!buf.mmap().segment().scope().isAlive()) {
                return ValidationRule.MEMORY_CLOSED;
            }
            if (isDestination && !buf.mmap().permissions().contains(AccessFlag.LOCAL_READ_WRITE)) {
                return ValidationRule.LOCAL_PERMISSION;
            }
        }
        return null;
    }

    /// Makes the data of the list the payload.
    ///
    /// DCORE-BUF-8, DRDMA-WRITE-3: in the order of the list; empty elements are passed over.
    static void gather(SendRequest request, @Nullable Buf list, DocaDev device, long limit) {
        request.noPayload();
        long left = limit;
        for (Buf buf = list; buf != null && left > 0; buf = buf.next()) {
            long bytes = Math.min(left, buf.dataLen());
            if (bytes > 0) {
                request.appendPayload(region(buf, device), buf.data(), bytes);
                left -= bytes;
            }
        }
    }

    /// Makes the tails of the list, `limit` bytes at most, the place for what is read.
    static void scatter(SendRequest request, @Nullable Buf list, DocaDev device, long limit) {
        request.noPayload();
        long left = limit;
        for (Buf buf = list; buf != null && left > 0; buf = buf.next()) {
            long bytes = Math.min(left, buf.tailLen());
            if (bytes > 0) {
                request.appendPayload(region(buf, device), buf.tail(), bytes);
                left -= bytes;
            }
        }
    }

    /// Makes the tails of the list the place for a message.
    static void scatter(ReceiveRequest request, @Nullable Buf list, DocaDev device) {
        request.noBuffer();
        for (Buf buf = list; buf != null; buf = buf.next()) {
            if (buf.tailLen() > 0) {
                request.appendBuffer(region(buf, device), buf.tail(), buf.tailLen());
            }
        }
    }

    /// `bytes` bytes arrived in the tails of the list: they belong to its data now, up to an
    /// element that was given back in the meantime.
    ///
    /// DCORE-BUF-6, DCORE-BUF-7, DCORE-BUF-9: each element's data grows by its share.
    static void append(@Nullable Buf list, long bytes) {
        long left = bytes;
        for (Buf buf = list; buf != null && buf.isOut() && left > 0; buf = buf.next()) {
            long share = Math.min(left, buf.tailLen());
            buf.dataLen(buf.dataLen() + share);
            left -= share;
        }
    }

    private static MemoryRegion region(Buf buf, DocaDev device) {
        return Objects.requireNonNull(buf.mmap().region(device));
    }
}
