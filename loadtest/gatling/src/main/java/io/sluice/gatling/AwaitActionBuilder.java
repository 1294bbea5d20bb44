package io.sluice.gatling;

import io.gatling.core.action.builder.ActionBuilder;
import io.sluice.gatling.engine.AwaitOperation;
import io.sluice.gatling.engine.SluiceAction;
import io.sluice.gatling.engine.SluiceProtocol;
import io.sluice.gatling.engine.Template;
import java.time.Duration;

/** Action that waits for messages. Immutable. */
public final class AwaitActionBuilder implements io.gatling.javaapi.core.ActionBuilder {
  private final Template name;
  private final int messages;
  private final Duration limit;

  AwaitActionBuilder(Template name, int messages, Duration limit) {
    this.name = name;
    this.messages = messages;
    this.limit = limit;
  }

  /** Sets the time limit; default {@link SluiceProtocolBuilder#answerTimeout}. */
  public AwaitActionBuilder within(Duration time) {
    SluiceProtocol.checkPositive("within", time);
    return new AwaitActionBuilder(name, messages, time);
  }

  /** For Gatling only. */
  @Override
  public ActionBuilder asScala() {
    return SluiceAction.builder(name, new AwaitOperation(messages, limit));
  }
}
