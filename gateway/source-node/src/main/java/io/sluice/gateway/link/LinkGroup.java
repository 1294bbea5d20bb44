package io.sluice.gateway.link;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.InterestKey;
import java.util.function.IntFunction;

/**
 * One-to-many transport of entries to the leaves of a node, whose module may be missing. Bound to
 * the event loop of the links, except where a method states otherwise.
 */
public interface LinkGroup {
  /** Capability of nodes that have the module. */
  String CAPABILITY = "multicast";

  /** Root's side of one link. */
  interface Root {
    /** Handles a record of the leaf. */
    void onRecord(byte[] body);

    /** Returns whether the leaf receives the group. */
    boolean isJoined();

    /** A log had its turn: it may have become current, or have new entries. */
    void onTurn(RootLog log);

    /** An entry was sent over the link itself. */
    void onLinkEntry();

    /** A log is closed. */
    void onClosed(RootLog log);

    /** The link is closed. */
    void onClosed();
  }

  /** Log that a root sends to one leaf, over the link or by the group. */
  interface RootLog {
    int ref();

    InterestKey key();

    /** Returns the log; null before it is known. */
    TopicLog log();

    /** Returns the epoch of the entries that are sent. */
    long epoch();

    /** Returns the offset up to which entries were sent over the link, or arrived by the group. */
    long sent();

    /**
     * Returns whether the leaf has been sent all entries that the log had at first, and waits for
     * no answer that must follow entries.
     */
    boolean isCurrent();

    /** Returns whether the group has the log. */
    boolean isGrouped();

    /** Sends nothing over the link from now on. */
    void group();

    /** Entries up to an offset have arrived by the group. */
    void onReceived(long offset);

    /** Sends the entries behind {@link #sent} over the link from now on. */
    void ungroup();

    /** Returns the record of an entry with another number of the log. */
    LinkRecord.Entry entry(int number, LogEntry entry);
  }

  /** Leaf's side of one link. */
  interface Leaf {
    /** Handles a record of the root. */
    void onRecord(byte[] body);

    /** Returns whether this node receives the group. */
    boolean isJoined();

    /** Records of the link were passed to interests. */
    void onFrameEnd();

    /** The link is closed. */
    void onClosed();
  }

  /** Interest of a leaf, which receives entries over the link and by the group. */
  interface LeafLog {
    int ref();

    /** Returns the epoch of the root's log. */
    long epoch();

    /** Returns the offset up to which entries arrived. */
    long offset();

    /** Returns whether too many messages wait here. */
    boolean isFull();

    /** An entry behind the offset arrived by the group. */
    void onGroupEntry(LinkRecord.Entry entry);
  }

  /** Creates the root's side of a link; null if this node has no group. */
  Root serve(LinkChannel leaf);

  /**
   * Creates the leaf's side of a link.
   *
   * @param root name of the root
   * @param logs finds the interest with a ref that the link serves; null without one
   */
  Leaf join(LinkChannel channel, String root, IntFunction<LeafLog> logs);

  /** Frees all resources; may block. Any thread but the event loop. */
  void close();
}
