package io.sluice.gateway.hub;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;

/**
 * Holds a proof that the broker delivers until the durable interests have passed on what came
 * before it: their messages wait for the disk, or for those that the broker has kept. Any thread.
 */
final class ProofGate {
  private static final long NONE = Long.MIN_VALUE;

  private final List<DurableIntake> intakes = new CopyOnWriteArrayList<>();
  private final LongConsumer proven;
  private long sentMs = NONE;
  private long provenAtMs;

  /**
   * Creates an open gate.
   *
   * @param proven hears of each proof that holds for all interests
   */
  ProofGate(LongConsumer proven) {
    this.proven = proven;
  }

  /** From now on a proof waits for this one, too. */
  void add(DurableIntake intake) {
    intakes.add(intake);
  }

  /** It is no more. */
  void remove(DurableIntake intake) {
    intakes.remove(intake);
  }

  /**
   * What the broker took before {@code proofSentMs} has been received. A proof that waits already
   * goes first, and this one is left out: another one comes soon.
   */
  synchronized void onProof(long proofSentMs, long nowMs) {
    if (sentMs == NONE) {
      sentMs = proofSentMs;
      provenAtMs = nowMs;
    }
    onRound();
  }

  /** An interest has passed something on. */
  synchronized void onRound() {
    if (sentMs != NONE && intakes.stream().allMatch(intake -> intake.hasPassed(provenAtMs))) {
      long held = sentMs;
      sentMs = NONE;
      proven.accept(held);
    }
  }

  /** The broker is lost: what it proved no longer counts. */
  synchronized void clear() {
    sentMs = NONE;
  }
}
