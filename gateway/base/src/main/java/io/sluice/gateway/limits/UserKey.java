package io.sluice.gateway.limits;

/**
 * Keys of users in {@link FairQueue} and {@link Shares}. Users may belong to a group, such as those
 * of one leaf, and groups to others: first groups take turns and have shares, then the users of
 * each. Stateless, for any thread.
 */
public final class UserKey {
  private static final char SEPARATOR = '\0';

  /** Maximum characters of a user that another node has named; the rest is not distinguished. */
  private static final int MAX_LENGTH = 512;

  /** Maximum number of groups around such a user. */
  private static final int MAX_GROUPS = 8;

  private UserKey() {}

  /** Returns the key of a user of this node, who has no group. */
  public static String of(String user) {
    return user.replace(SEPARATOR, ' ');
  }

  /**
   * Returns the key of a group's user.
   *
   * @param user key at another node, which may have groups there
   */
  public static String of(String group, String user) {
    String named = user.length() > MAX_LENGTH ? user.substring(0, MAX_LENGTH) : user;
    boolean tooDeep = named.chars().filter(each -> each == SEPARATOR).count() >= MAX_GROUPS;
    return of(group) + SEPARATOR + (tooDeep ? of(named) : named);
  }

  /** Returns the end of the outermost group or user that begins in a key. */
  static int end(String key, int from) {
    int end = key.indexOf(SEPARATOR, from);
    return end < 0 ? key.length() : end;
  }
}
