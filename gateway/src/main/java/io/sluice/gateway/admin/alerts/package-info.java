/** Firing alerts of Sluice's rules, which the admin port reads from a Prometheus on request. */
package io.sluice.gateway.admin.alerts;
