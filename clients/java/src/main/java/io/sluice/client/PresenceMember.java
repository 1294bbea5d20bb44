package io.sluice.client;

import io.sluice.client.internal.Frame;

/**
 * Member of a topic.
 *
 * @param id identifies the member in its topic
 * @param subject subject of its credential; null without one
 * @param info value that it has sent: a map, list, string, boolean, {@code Long}, {@code Double} or
 *     null
 */
public record PresenceMember(String id, String subject, Object info) {
  static PresenceMember of(Object member) {
    Frame members = Frame.named("present: member", Frame.object(member, "present: member"));
    return new PresenceMember(
        members.text("id"), members.optionalText("subject"), members.get("info"));
  }
}
