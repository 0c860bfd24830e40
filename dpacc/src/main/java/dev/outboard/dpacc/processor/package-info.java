/// The annotation processor. `ProgramReader` makes a [dev.outboard.dpacc.processor.Program] out of
/// a marked class or says what is wrong with it, `StubWriter` makes the stub out of that, and
/// `BodyCheck` looks at what the methods do, once the compiler has understood them.
package dev.outboard.dpacc.processor;
