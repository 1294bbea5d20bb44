/**
 * Time as a deadline measures it. {@link io.sluice.gateway.time.RunningClock} is the entry type;
 * any thread reads it, and the thread of its periodic check advances it. {@link
 * io.sluice.gateway.time.LogInterval} limits log events.
 */
package io.sluice.gateway.time;
