/** Content of JMS messages: bodies and properties as JSON, keys and identities. Any thread. */
package io.sluice.gateway.broker.jms.message;
