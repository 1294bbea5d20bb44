/** Members of publishes: JMS headers, typed properties and structured bodies. */
package io.sluice.gateway.protocol.publish;
