/// Accelerator functions to start from, each a few dozen lines: what an AFU does at each edge, with
/// nothing of the platform in it.
///
/// | AFU | shows |
/// | --- | --- |
/// | [Hello][dev.outboard.ccip.afu.example.Hello] | registers and one write |
/// | [MemoryCopy][dev.outboard.ccip.afu.example.MemoryCopy] | bursts both ways, a line a cycle |
/// | [VectorAdd][dev.outboard.ccip.afu.example.VectorAdd] | two streams in, one out |
/// | [Sha256][dev.outboard.ccip.afu.example.Sha256] | a computation of many cycles |
/// | [UmsgEcho][dev.outboard.ccip.afu.example.UmsgEcho] | UMsgs, and a flag behind a fence |
/// | [InterruptSender][dev.outboard.ccip.afu.example.InterruptSender] | interrupts behind a fence |
/// | [ByteWriter][dev.outboard.ccip.afu.example.ByteWriter] | buffers that begin inside a line |
package dev.outboard.ccip.afu.example;
