package io.sluice.gateway.hub;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.history.StepDetector;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.MessageFormats;
import io.sluice.gateway.store.MessageStore;
import io.sluice.gateway.trace.Tracing;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Collaborators of a node's hub. Immutable.
 *
 * @param control the control thread, on which interests change
 * @param sources at least one; a topic belongs to the first one that has it
 * @param journal storage of durable interests' messages; null if there are none
 * @param epochs source of numbers that never repeat
 * @param identities source of random numbers for messages without an id; any thread
 * @param sequencers factory of the threads that run the mailboxes
 * @param tracing selects the messages to trace; null without tracing
 * @param formats formats of open protocols
 */
public record HubParts(
    ScheduledExecutorService control,
    ByteBufAllocator allocator,
    GatewayMetrics metrics,
    List<SourceParts> sources,
    MessageStore journal,
    HubClock clock,
    LongSupplier epochs,
    LongSupplier identities,
    Supplier<Sequencers> sequencers,
    Tracing tracing,
    MessageFormats formats) {

  /**
   * Creates parts with the system's clocks and one sequencer per processor.
   *
   * @param toleranceMs change of the wall clock above which it counts as a step
   */
  public static HubParts of(
      ScheduledExecutorService control,
      ByteBufAllocator allocator,
      GatewayMetrics metrics,
      List<SourceParts> sources,
      MessageStore journal,
      long toleranceMs) {
    return new HubParts(
        control,
        allocator,
        metrics,
        sources,
        journal,
        new StepDetector(HubClock.SYSTEM, toleranceMs),
        new SecureRandom()::nextLong,
        () -> ThreadLocalRandom.current().nextLong(),
        () -> Sequencers.start(Runtime.getRuntime().availableProcessors(), HubClock.SYSTEM),
        null,
        MessageFormats.NONE);
  }

  /** Returns these parts with another clock, other numbers, and one executor for all mailboxes. */
  public HubParts with(
      HubClock otherClock,
      LongSupplier otherEpochs,
      LongSupplier otherIdentities,
      Executor sequencer) {
    return new HubParts(
        control,
        allocator,
        metrics,
        sources,
        journal,
        otherClock,
        otherEpochs,
        otherIdentities,
        () -> new Sequencers(sequencer, sequencer, otherClock, null),
        tracing,
        formats);
  }

  /**
   * Returns these parts with tracing and formats.
   *
   * @param otherTracing null without tracing
   */
  public HubParts with(Tracing otherTracing, MessageFormats otherFormats) {
    return new HubParts(
        control,
        allocator,
        metrics,
        sources,
        journal,
        clock,
        epochs,
        identities,
        sequencers,
        otherTracing,
        otherFormats);
  }
}
