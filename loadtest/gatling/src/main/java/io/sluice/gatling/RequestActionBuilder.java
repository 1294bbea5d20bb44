package io.sluice.gatling;

import io.gatling.core.action.builder.ActionBuilder;
import io.gatling.javaapi.core.CheckBuilder;
import io.sluice.gatling.check.CheckSet;
import io.sluice.gatling.engine.PublishOperation;
import io.sluice.gatling.engine.SluiceAction;
import io.sluice.gatling.engine.Template;
import java.time.Duration;
import java.util.List;

/** Action that publishes a request and waits for the reply. Immutable. */
public final class RequestActionBuilder extends MessageActionBuilder<RequestActionBuilder>
    implements io.gatling.javaapi.core.ActionBuilder {
  private final Duration limit;
  private final CheckSet checks;

  private RequestActionBuilder(
      Template name, List<PublishOperation.Member> members, Duration limit, CheckSet checks) {
    super(name, members);
    this.limit = limit;
    this.checks = checks;
  }

  static RequestActionBuilder request(Template name, String kind, String destination) {
    return new RequestActionBuilder(
        name,
        List.of(
            PublishOperation.Member.text(kind, destination),
            PublishOperation.Member.text("payload", "")),
        Duration.ofSeconds(5),
        CheckSet.NONE);
  }

  /** Sets the time limit of the reply, at least 1 ms; default 5 s. */
  public RequestActionBuilder timeout(Duration time) {
    List<PublishOperation.Member> changed = with(millis("timeout", time)).members();
    return new RequestActionBuilder(name(), changed, time, checks);
  }

  /**
   * Adds checks of the reply.
   *
   * @throws IllegalArgumentException for a check of a stream
   */
  public RequestActionBuilder check(CheckBuilder... added) {
    CheckSet changed = checks.with(List.of(added));
    if (changed.readsStream()) {
      throw new IllegalArgumentException("seq, age and count do not apply to a reply");
    }
    return new RequestActionBuilder(name(), members(), limit, changed);
  }

  @Override
  RequestActionBuilder copy(List<PublishOperation.Member> members) {
    return new RequestActionBuilder(name(), members, limit, checks);
  }

  /** For Gatling only. */
  @Override
  public ActionBuilder asScala() {
    return SluiceAction.builder(
        name(), new PublishOperation("request", members(), limit.toMillis(), checks));
  }
}
