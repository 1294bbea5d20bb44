/**
 * Commands for experiments: the demo with the faults that its page can cause, the feed, and the
 * embedded broker. Entry points are the commands; used by the main thread, faults by any.
 */
package io.sluice.gateway.cli.demo;
