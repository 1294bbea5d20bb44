package io.sluice.client;

import java.util.function.Consumer;

/**
 * Options of a presence. Immutable: each method returns a copy with one more option.
 *
 * @param isEntered whether the client is a member, and does not only watch
 * @param hasMembers whether the members are requested, and not only their number
 * @param info value that others receive with the member; null for none
 * @param onChange called after each change
 */
public record PresenceOptions(
    boolean isEntered, boolean hasMembers, Object info, Consumer<Presence> onChange) {
  /** A member that receives all members. */
  public static final PresenceOptions DEFAULT =
      new PresenceOptions(true, true, null, presence -> {});

  /** Shows others without being shown. */
  public PresenceOptions watchOnly() {
    return new PresenceOptions(false, hasMembers, info, onChange);
  }

  /** Requests only the number of members, which requires no permission {@code presence}. */
  public PresenceOptions countOnly() {
    return new PresenceOptions(isEntered, false, info, onChange);
  }

  /**
   * Sets the value that others receive with the member: text, a number, boolean, map or list. A
   * node limits its size.
   */
  public PresenceOptions info(Object value) {
    return new PresenceOptions(isEntered, hasMembers, value, onChange);
  }

  /** Sets the listener of changes. */
  public PresenceOptions onChange(Consumer<Presence> listener) {
    return new PresenceOptions(isEntered, hasMembers, info, listener);
  }
}
