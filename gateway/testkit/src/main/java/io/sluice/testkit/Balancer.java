package io.sluice.testkit;

/** What stands between clients and nodes. */
public interface Balancer extends AutoCloseable {
  /** Where clients connect, as host:port. */
  String address();

  @Override
  void close();
}
