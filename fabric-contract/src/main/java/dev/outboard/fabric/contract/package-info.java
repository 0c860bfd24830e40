/// The suites that every provider of the fabric passes, and what tests stand on that need connected
/// queue pairs.
///
/// A suite is an abstract class whose name ends with `Contract`. Whoever writes a provider extends
/// each of them and opens the devices:
///
/// ```java
/// class MyProviderTest {
///     @Nested
///     class QueuePairs extends QueuePairContract {
///         @Override
///         protected Device open() {
///             return Fabric.open("mine://auto");
///         }
///     }
///     // and so on
/// }
/// ```
///
/// A suite opens one to three devices per test and closes them itself. They reach each other; where
/// `open` says so, they may be one and the same. The suites wait by means of the API alone, so that
/// they run in virtual time as well. [dev.outboard.fabric.contract.ThreadsContract] uses several
/// threads, which need a provider that moves packets while the application does not call it.
///
/// There is no module descriptor: tests run on the class path.
@NullMarked
package dev.outboard.fabric.contract;

import org.jspecify.annotations.NullMarked;
