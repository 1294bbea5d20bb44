/**
 * Time as a deadline measures it. {@link io.sluice.gateway.time.RunningClock} is the entry type;
 * any thread reads it, and the thread of its periodic check advances it.
 */
package io.sluice.gateway.time;
