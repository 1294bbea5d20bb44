package io.sluice.gatling;

import io.gatling.core.action.builder.ActionBuilder;
import io.sluice.gatling.check.CheckSet;
import io.sluice.gatling.engine.PublishOperation;
import io.sluice.gatling.engine.SluiceAction;
import io.sluice.gatling.engine.Template;
import java.util.List;

/** Action that publishes a message. Immutable. */
public final class PublishActionBuilder extends MessageActionBuilder<PublishActionBuilder>
    implements io.gatling.javaapi.core.ActionBuilder {
  private PublishActionBuilder(Template name, List<PublishOperation.Member> members) {
    super(name, members);
  }

  static PublishActionBuilder publish(Template name, String kind, String destination) {
    return new PublishActionBuilder(
        name,
        List.of(
            PublishOperation.Member.text(kind, destination),
            PublishOperation.Member.text("payload", "")));
  }

  /**
   * Sets the correlation id.
   *
   * @param id a Gatling EL string
   */
  public PublishActionBuilder correlationId(String id) {
    return with(PublishOperation.Member.text("correlationId", id));
  }

  /**
   * Sets the topic for replies.
   *
   * @param topic a Gatling EL string
   */
  public PublishActionBuilder replyToTopic(String topic) {
    return with(member("replyTo", "topic", topic));
  }

  /**
   * Sets the queue for replies.
   *
   * @param queue a Gatling EL string
   */
  public PublishActionBuilder replyToQueue(String queue) {
    return with(member("replyTo", "queue", queue));
  }

  /**
   * Sets the id by which the broker discards duplicates.
   *
   * @param id a Gatling EL string
   */
  public PublishActionBuilder id(String id) {
    return with(PublishOperation.Member.text("id", id));
  }

  @Override
  PublishActionBuilder copy(List<PublishOperation.Member> members) {
    return new PublishActionBuilder(name(), members);
  }

  /** For Gatling only. */
  @Override
  public ActionBuilder asScala() {
    return SluiceAction.builder(
        name(), new PublishOperation("publish", members(), 0, CheckSet.NONE));
  }
}
