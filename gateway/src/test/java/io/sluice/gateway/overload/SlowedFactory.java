package io.sluice.gateway.overload;

import io.sluice.gateway.rewriting.WrappedFactory;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.concurrent.TimeUnit;

/**
 * Connection factory that delays the listener of one topic: the client's thread waits before it
 * calls the node.
 */
public final class SlowedFactory extends WrappedFactory {
  private String topic = "";
  private int delayMs;

  /** The topic whose listener is slow. */
  public void setTopic(String name) {
    topic = name;
  }

  /** Sets the time that the client's thread waits before each message of the topic. */
  public void setDelayMs(int milliseconds) {
    delayMs = milliseconds;
  }

  @Override
  protected Session wrapped(Session session) {
    return proxy(
        Session.class,
        (method, arguments) -> {
          Object result = method.invoke(session, arguments);
          return result instanceof MessageConsumer consumer
                  && ((Topic) arguments[0]).getTopicName().equals(topic)
              ? consumer(consumer, this::delayed)
              : result;
        });
  }

  private Message delayed(Message message) {
    try {
      TimeUnit.MILLISECONDS.sleep(delayMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the client ends its threads
    }
    return message;
  }
}
