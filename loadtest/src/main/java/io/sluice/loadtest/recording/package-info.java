/** What a measured client writes down while messages arrive. */
package io.sluice.loadtest.recording;
