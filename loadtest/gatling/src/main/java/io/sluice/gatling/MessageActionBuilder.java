package io.sluice.gatling;

import io.sluice.gatling.engine.PublishOperation;
import io.sluice.gatling.engine.SluiceProtocol;
import io.sluice.gatling.engine.Template;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Common part of actions that publish a message. Immutable. */
abstract class MessageActionBuilder<B> {
  private static final int MAX_PRIORITY = 9;

  private final Template name;
  private final List<PublishOperation.Member> members;

  MessageActionBuilder(Template name, List<PublishOperation.Member> members) {
    this.name = name;
    this.members = members;
  }

  final Template name() {
    return name;
  }

  final List<PublishOperation.Member> members() {
    return members;
  }

  abstract B copy(List<PublishOperation.Member> changed);

  /** Returns a copy with a member, which replaces one with the same path. */
  final B with(PublishOperation.Member member) {
    List<PublishOperation.Member> changed = new ArrayList<>(members);
    changed.removeIf(old -> old.path().equals(member.path()));
    changed.add(member);
    return copy(changed);
  }

  static PublishOperation.Member member(String parent, String child, String value) {
    return new PublishOperation.Member(List.of(parent, child), Template.of(value), false);
  }

  /**
   * Sets the payload to text; default empty.
   *
   * @param text a Gatling EL string
   */
  public B payload(String text) {
    return with(PublishOperation.Member.text("payload", text));
  }

  /** Sets the payload to bytes. */
  public B payload(byte[] bytes) {
    String base64 = Base64.getEncoder().encodeToString(bytes);
    List<PublishOperation.Member> changed = new ArrayList<>(members);
    changed.removeIf(old -> List.of("payload", "encoding").contains(old.path().get(0)));
    changed.add(PublishOperation.Member.text("payload", base64));
    changed.add(PublishOperation.Member.text("encoding", "base64"));
    return copy(changed);
  }

  /**
   * Sets a JMS property with a string.
   *
   * @param property name of the property
   * @param value a Gatling EL string
   */
  public B property(String property, String value) {
    return with(member("properties", property, value));
  }

  /**
   * Sets the priority.
   *
   * @param priority 0 to 9
   */
  public B priority(int priority) {
    if (priority < 0 || priority > MAX_PRIORITY) {
      throw new IllegalArgumentException("priority must be 0 to 9, not " + priority);
    }
    return with(PublishOperation.Member.json("priority", "" + priority));
  }

  /** Sets the time to live, at least 1 ms. */
  public B ttl(Duration time) {
    return with(millis("ttl", time));
  }

  /** Sets the time after which the broker delivers the message, at least 1 ms. */
  public B delay(Duration time) {
    return with(millis("delay", time));
  }

  static PublishOperation.Member millis(String name, Duration time) {
    SluiceProtocol.checkAtLeast(name + " in ms", time.toMillis(), 1);
    return PublishOperation.Member.json(name, "" + time.toMillis());
  }

  /** Sets whether the broker stores the message; the default is a setting of the node. */
  public B persistent(boolean isStored) {
    return with(PublishOperation.Member.json("persistent", "" + isStored));
  }

  /**
   * Sets the JMS type.
   *
   * @param type a Gatling EL string
   */
  public B messageType(String type) {
    return with(PublishOperation.Member.text("messageType", type));
  }

  /**
   * Sets the message group.
   *
   * @param group a Gatling EL string
   */
  public B group(String group) {
    return with(PublishOperation.Member.text("group", group));
  }
}
