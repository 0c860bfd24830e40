/// How reports are written as JSON.
package dev.outboard.dpa.json;
