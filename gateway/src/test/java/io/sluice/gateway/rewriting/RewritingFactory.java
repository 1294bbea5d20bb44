package io.sluice.gateway.rewriting;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Connection factory that rewrites headers of the messages that it delivers, at random. */
public final class RewritingFactory extends WrappedFactory {
  /** Ids that the consumers of this factory receive. */
  public enum Ids {
    /** Those of the broker. */
    KEPT,
    /** Different for each consumer, as IBM MQ documents it. */
    PER_CONSUMER,
    /** Different for each factory, equal for its consumers. */
    PER_FACTORY,
    /** A small number of ids, each for many messages. */
    REPEATED,
    CONSTANT,
    MISSING,
    /** Now and then one of the others. */
    MIXED
  }

  private static final int REPEATED_IDS = 7;
  private static final int ODDITY = 5;
  private static final int MAX_DELAY_MS = 1_000;

  private static final Ids[] ALL = Ids.values();

  private static final List<Class<? extends Message>> TYPES =
      List.of(
          TextMessage.class,
          BytesMessage.class,
          MapMessage.class,
          StreamMessage.class,
          ObjectMessage.class);

  private final AtomicLong consumers = new AtomicLong();
  private long seed;
  private Ids ids = Ids.KEPT;
  private Path file;
  private boolean priorities;
  private boolean delays;
  private boolean redeliveries;

  public void setSeed(long number) {
    seed = number;
  }

  public void setIds(String name) {
    ids = Ids.valueOf(name);
  }

  /** Rewrites ids only while this file exists. */
  public void setSwitch(String path) {
    file = Path.of(path);
  }

  /** Delivers one in five messages with another priority. */
  public void setPriorities(boolean value) {
    priorities = value;
  }

  /** Sends one in five messages with a delay. */
  public void setDelays(boolean value) {
    delays = value;
  }

  /** Marks one in five messages as redelivered. */
  public void setRedeliveries(boolean value) {
    redeliveries = value;
  }

  @Override
  protected Session wrapped(Session real) {
    return proxy(
        Session.class,
        (method, arguments) -> {
          Object result = method.invoke(real, arguments);
          if (result instanceof MessageConsumer consumer) {
            return consumer(consumer, new Rewriter(consumers.incrementAndGet())::rewritten);
          }
          return delays && result instanceof MessageProducer producer ? producer(producer) : result;
        });
  }

  private MessageProducer producer(MessageProducer real) {
    Random random = new Random(seed);
    return proxy(
        MessageProducer.class,
        (method, arguments) -> {
          if (!method.getName().equals("send") || random.nextInt(ODDITY) > 0) {
            return method.invoke(real, arguments);
          }
          long delayMs = real.getDeliveryDelay();
          real.setDeliveryDelay(delayMs + random.nextInt(MAX_DELAY_MS));
          try {
            return method.invoke(real, arguments);
          } finally {
            real.setDeliveryDelay(delayMs);
          }
        });
  }

  /** Rewriter of one consumer's messages. Used by one thread at a time. */
  private final class Rewriter {
    private final long consumer;
    private final Random random;

    Rewriter(long consumer) {
      this.consumer = consumer;
      this.random = new Random(seed + consumer);
    }

    Message rewritten(Message real) {
      try {
        boolean keeps = file != null && Files.notExists(file);
        String id = id(real.getJMSMessageID(), keeps ? Ids.KEPT : ids);
        boolean odd = random.nextInt(ODDITY) == 0;
        int priority = priorities && odd ? random.nextInt(10) : real.getJMSPriority();
        boolean redelivered =
            real.getJMSRedelivered() || redeliveries && random.nextInt(ODDITY) == 0;
        return proxy(
            type(real),
            (method, arguments) ->
                switch (method.getName()) {
                  case "getJMSMessageID" -> id;
                  case "getJMSPriority" -> priority;
                  case "getJMSRedelivered" -> redelivered;
                  default -> method.invoke(real, arguments);
                });
      } catch (JMSException e) {
        throw new AssertionError(e);
      }
    }

    private String id(String real, Ids kind) {
      return switch (kind) {
        case KEPT -> real;
        case PER_CONSUMER -> real + "-" + seed + "-" + consumer;
        case PER_FACTORY -> real + "-" + seed;
        case REPEATED -> "ID:" + random.nextInt(REPEATED_IDS);
        case CONSTANT -> "ID:constant";
        case MISSING -> null;
        case MIXED ->
            id(real, random.nextInt(ODDITY) == 0 ? ALL[random.nextInt(ALL.length - 1)] : Ids.KEPT);
      };
    }
  }

  private static Class<? extends Message> type(Message message) {
    return TYPES.stream()
        .filter(each -> each.isInstance(message))
        .findFirst()
        .orElse(Message.class);
  }
}
