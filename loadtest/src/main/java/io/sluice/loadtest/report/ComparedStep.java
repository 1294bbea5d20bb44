package io.sluice.loadtest.report;

import io.sluice.loadtest.result.LoadProfile;
import java.util.List;

/**
 * The figures of two measurements at one load. Immutable.
 *
 * @param load that of the earlier measurement
 * @param overRuns whether a sample is a run; otherwise it is a client, or a piece of a run
 */
public record ComparedStep(LoadProfile load, boolean overRuns, List<Difference> differences) {}
