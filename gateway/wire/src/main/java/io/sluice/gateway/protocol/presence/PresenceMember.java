package io.sluice.gateway.protocol.presence;

/**
 * Member of a topic as other clients receive it. Immutable, for any thread.
 *
 * @param id identifies the member in its topic
 * @param subject subject of its credential; empty without a credential
 * @param info JSON text of the client, or null
 */
public record PresenceMember(String id, String subject, String info) {}
