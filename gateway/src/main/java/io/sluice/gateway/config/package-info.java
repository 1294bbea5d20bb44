/**
 * Configuration: settings by section ({@code …Settings}), the file reader ({@link ConfigFile}) and
 * rules between values ({@link ConfigRules}). Certificates and keys are checked by the packages
 * that use them, which report through {@link ConfigFindings}. Settings and {@link Config} are
 * immutable, for any thread; reading and checking are confined to one thread. Imports no package
 * above it.
 */
package io.sluice.gateway.config;
