package io.sluice.loadtest.crowd;

/** Hears what the loops of a crowd have to say, on each loop's thread. */
interface CrowdListener {
  /** All clients of one loop have been subscribed in a round. */
  void onComplete(int round);

  /** Something went wrong, in one line; what happens alike to many clients is told once. */
  void onComplaint(String message);
}
