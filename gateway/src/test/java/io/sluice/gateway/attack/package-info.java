/**
 * Attacks on a running gateway with honest clients. {@link io.sluice.gateway.attack.AttackIT} runs
 * them small in every build, {@link io.sluice.gateway.attack.AttackSuite} in full size.
 */
package io.sluice.gateway.attack;
