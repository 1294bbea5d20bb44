/** Bodies and properties of JMS messages as JSON. Any thread. */
package io.sluice.gateway.broker.jms.body;
