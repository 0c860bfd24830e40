/// What a capture of RoCE tells about transfers that failed: packets with their times in, findings
/// in plain words out. No file, no clock, no thread.
package dev.outboard.fabric.roce.explain;
