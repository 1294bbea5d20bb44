package io.sluice.gateway.node;

import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.Problem;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Checks by all modules of a node. Immutable, for any thread.
 *
 * @param problems returns all problems of a configuration, in the order of the file
 * @param adminPort returns whether a node has an admin port
 */
public record NodeChecks(
    Function<ConfigDraft, List<Problem>> problems, BooleanSupplier adminPort) {}
