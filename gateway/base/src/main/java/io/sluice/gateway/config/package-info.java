/**
 * Configuration keys with defaults and bounds, the parser of the configuration file, and the rules
 * between values. Settings and {@link io.sluice.gateway.config.Config} are immutable, for any
 * thread; parsing and checking are confined to one thread. Entry points are {@link
 * io.sluice.gateway.config.ConfigFile} to parse and {@link io.sluice.gateway.config.ConfigRules} to
 * check.
 *
 * <p>Other packages check the certificates and keys that they use, and report problems through
 * {@link io.sluice.gateway.config.ConfigFindings}. This package imports no package above it.
 */
package io.sluice.gateway.config;
