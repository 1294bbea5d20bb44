package io.sluice.gateway.broker;

import jakarta.jms.JMSException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the canaries over one set of connections, from the day they are live to their loss. Runs on
 * a thread that may hang in the JMS client, with nobody waiting for it.
 */
final class CanaryFlight implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(CanaryFlight.class);

  /** A refusal hardly changes: it is tried again so many times more seldom. */
  private static final int REFUSED_INTERVALS = 12;

  private final Canary canary;
  private final List<BrokerConnection> connections;
  private final long intervalMs;
  private final CanaryRounds rounds;

  /** One a connection; null where it is not open. Of the thread that runs this. */
  private final CanaryLink[] links;

  private volatile boolean ended;

  CanaryFlight(Canary canary, List<BrokerConnection> connections, long intervalMs) {
    this.canary = canary;
    this.connections = List.copyOf(connections);
    this.intervalMs = intervalMs;
    this.rounds = new CanaryRounds(connections.size(), intervalMs, System::nanoTime);
    this.links = new CanaryLink[connections.size()];
  }

  @Override
  public void run() {
    try {
      while (!ended) {
        Thread.sleep(sendRound() ? intervalMs : REFUSED_INTERVALS * intervalMs);
      }
    } catch (InterruptedException e) {
      // The connections are gone, and with them all that was opened on them.
    }
  }

  /** The connections are lost, and closed by whoever opened them. Any thread. */
  void end() {
    ended = true;
  }

  /** Returns for how long a connection has been silent, in milliseconds. Any thread. */
  long silentMs() {
    return rounds.silentMs(link -> connections.get(link).arrivalNs());
  }

  /** Whether the broker took it, or does not answer at all: then the silence will tell. */
  private boolean sendRound() {
    long number = canary.nextNumber();
    rounds.begin(number, System.currentTimeMillis());
    try {
      openLinks();
      for (CanaryLink link : links) {
        link.send(number);
      }
      return true;
    } catch (JMSException | RuntimeException e) {
      closeLinks(); // a session that failed once is not trusted again
      return !isRefusal(e);
    }
  }

  private void openLinks() throws JMSException {
    for (int i = 0; i < links.length; i++) {
      if (links[i] != null && links[i].isBroken()) {
        links[i].close();
        links[i] = null;
      }
      if (links[i] == null) {
        int link = i;
        links[i] =
            CanaryLink.open(
                connections.get(i).jms(),
                canary.provider(),
                canary.topic(i),
                (number, sequence) -> onReturned(link, number, sequence));
      }
    }
  }

  private void closeLinks() {
    for (int i = 0; i < links.length; i++) {
      if (links[i] != null) {
        links[i].close();
        links[i] = null;
      }
    }
  }

  private boolean isRefusal(Exception failure) {
    if (ended || !connections.stream().allMatch(BrokerConnection::answers)) {
      log.atDebug().setCause(failure).log("a canary was not sent");
      return false;
    }
    rounds.clear();
    canary.onRefused(this, String.valueOf(failure.getMessage()));
    return true;
  }

  private void onReturned(int link, long number, long sequence) {
    CanaryRounds.Returned round = rounds.onReturned(link, number, sequence);
    if (round != null) {
      canary.onReturned(this, round);
    }
  }
}
