/// What an application holds of a RoCEv2 device: the verbs and connection management on top of a
/// network card ([dev.outboard.fabric.roce.nic.NicMachine]), wherever that is plugged in.
package dev.outboard.fabric.roce.device;
