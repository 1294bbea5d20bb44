package io.sluice.cluster;

import java.util.List;

/** What nodes say to each other; {@link Wire} has its form. Immutable, for any thread. */
sealed interface Telegram {
  /**
   * @param node the sender
   * @param number higher than all before it of this life, since two may overtake each other
   */
  record Status(Node node, long number) implements Telegram {}

  /**
   * @param id for the answer
   * @param limit names that the asking node wants, at most
   */
  record TopicsRequest(long id, int limit) implements Telegram {}

  /**
   * Some of the names that were asked for.
   *
   * @param id of the request
   * @param index counts the parts of an answer from 0
   * @param last whether no other part follows
   * @param names of topics
   */
  record Topics(long id, int index, boolean last, List<String> names) implements Telegram {}
}
