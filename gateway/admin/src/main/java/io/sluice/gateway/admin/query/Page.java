package io.sluice.gateway.admin.query;

import java.util.List;
import java.util.Locale;

/**
 * Search, order and page of a list. Immutable, for any thread.
 *
 * @param search text in lower case; empty for all entries
 * @param sort word of the order
 * @param offset number of entries before the page
 * @param limit maximum number of entries of the page
 */
public record Page(String search, String sort, int offset, int limit) {
  /** Maximum of {@link #limit} for a query of the cluster. */
  public static final int MAX_LIMIT = 1_000;

  /** Maximum of {@link #limit} for a query of one node. */
  public static final int MAX_NODE_LIMIT = 10_000;

  /** Maximum of {@link #offset}. */
  public static final int MAX_OFFSET = MAX_NODE_LIMIT - MAX_LIMIT;

  /** Maximum number of characters of the search. */
  public static final int MAX_SEARCH = 256;

  public Page {
    search = search.toLowerCase(Locale.ROOT);
  }

  /** Returns the number of entries up to the end of the page. */
  int end() {
    return offset + limit;
  }

  /** Returns whether a text contains the search. */
  boolean matches(String text) {
    return search.isEmpty() || text.toLowerCase(Locale.ROOT).contains(search);
  }

  /** Returns the page of the same list that begins with the first entry. */
  Page fromStart(int entries) {
    return new Page(search, sort, 0, entries);
  }

  /** Returns the entries of a sorted list that are on the page. */
  <T> List<T> cut(List<T> sorted) {
    int from = Math.min(offset, sorted.size());
    return List.copyOf(sorted.subList(from, Math.min(end(), sorted.size())));
  }
}
