package io.sluice.gateway.broker;

/**
 * What the rest of a node wants of its broker. Control thread, but where a method says otherwise.
 */
public interface Broker {
  /** One consumer at the broker, which is given back by {@link #close}. */
  interface Consumer {
    /** Gives it back. Control thread. */
    void close();
  }

  /** Begins to connect; returns at once. Any thread. */
  void start();

  /** Closes everything. */
  void stop();

  /** Adds an interest; the listener hears when it stands, perhaps within this call. */
  Consumer open(String pattern, TopicListener listener);

  /** Sends a client's message. Any thread; never blocks. */
  void publish(Publication publication, PublishListener listener);
}
