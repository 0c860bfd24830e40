/// Codecs of RoCEv2 packets: pure functions of bytes.
package dev.outboard.fabric.roce.wire;
