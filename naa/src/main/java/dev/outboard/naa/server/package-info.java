/// The accelerator's side in software: a [NaaServer] offers a [RoutineSet] of [Routine]s.
package dev.outboard.naa.server;
