package io.sluice.gateway.trace;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Times of one sampled message in this node. The receiving thread creates it, the sequencer marks
 * its stages, and each event loop adds its write. It ends with the last of these, and is then
 * passed on for export.
 */
public final class MessageTrace implements EndedTrace {
  /**
   * Write of the message to the clients of one event loop.
   *
   * @param beganNs start of the flush
   * @param endedNs end of the flush
   * @param clients number of live subscriptions that received the message
   */
  record Write(long beganNs, long endedNs, int clients) {}

  private final TraceContext context;
  private final String topic;
  private final long brokerMs;
  private final Consumer<EndedTrace> onEnd;
  private final TraceTime time = TraceTime.now();
  private final Queue<Write> writes = new ConcurrentLinkedQueue<>();

  /** Event loops that have not written the message, and the sequencer. */
  private final AtomicInteger pending = new AtomicInteger(1);

  // Sequencer, before the message is visible to event loops.
  private long dequeuedNs;
  private long loggedNs;

  /**
   * Begins the trace of a message that has arrived.
   *
   * @param brokerMs time of the message, in milliseconds since 1970
   * @param onEnd receives this object once; must not block
   */
  MessageTrace(TraceContext context, String topic, long brokerMs, Consumer<EndedTrace> onEnd) {
    this.context = context;
    this.topic = topic;
    this.brokerMs = brokerMs;
    this.onEnd = onEnd;
  }

  /** Returns the context of the publisher. */
  @Override
  public TraceContext context() {
    return context;
  }

  String topic() {
    return topic;
  }

  long brokerMs() {
    return brokerMs;
  }

  /** Marks the start of sequencing. Sequencer. */
  public void onDequeued() {
    dequeuedNs = System.nanoTime();
  }

  /**
   * Marks that the message is in its log and encoded. Sequencer.
   *
   * @param loops number of event loops to which the message is offered next
   */
  public void onLogged(int loops) {
    if (loggedNs == 0) {
      loggedNs = System.nanoTime();
    }
    pending.addAndGet(loops);
  }

  /** Marks the end of sequencing. Sequencer. */
  public void onSequenced() {
    release();
  }

  /** Marks that a leaf, which traces its part, receives the message. Sequencer. */
  public void onFollowed() {
    release();
  }

  /** Marks that an event loop rejected the message because its queue was full. Sequencer. */
  public void onRejected() {
    release();
  }

  /** Adds the write of one event loop. */
  public void onWritten(long beganNs, long endedNs, int clients) {
    writes.add(new Write(beganNs, endedNs, clients));
    release();
  }

  private void release() {
    if (pending.decrementAndGet() == 0) {
      onEnd.accept(this);
    }
  }

  TraceTime time() {
    return time;
  }

  long receivedNs() {
    return time.startNs();
  }

  /** Returns the start of sequencing; 0 if the message was discarded before. */
  long dequeuedNs() {
    return dequeuedNs;
  }

  /** Returns the end of logging and encoding; 0 if no client subscribes to the topic. */
  long loggedNs() {
    return loggedNs;
  }

  List<Write> writes() {
    return List.copyOf(writes);
  }
}
