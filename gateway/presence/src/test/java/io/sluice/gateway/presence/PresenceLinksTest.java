package io.sluice.gateway.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.protocol.presence.PresenceView;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Presence of a cluster of two roots, each of which has a leaf. */
final class PresenceLinksTest {
  private static final long GRACE_MS = 1_000;
  private static final long LOST_MS = 20_000;
  private static final int MEMBERS = 5;
  private static final int MAX_ENTRIES = 100;
  private static final String ROOM = "room.1";

  private final List<Node> nodes = new ArrayList<>();
  private final Queue<Runnable> network = new ArrayDeque<>();
  private long nowMs;

  /** Node whose messages arrive in order, with the next step. */
  private final class Node implements PresenceTable.Listener {
    final String name;
    final PresenceTable table;
    int changes;

    Node(String name, boolean clustered) {
      this.name = name;
      PresenceOptions options =
          new PresenceOptions(
              name,
              MEMBERS,
              GRACE_MS,
              100,
              LOST_MS,
              1_000,
              MAX_ENTRIES * LinkedMembers.PARTS,
              8,
              1_000);
      table =
          new PresenceTable(
              options,
              clustered,
              (peer, message) -> network.add(() -> ((Node) peer).onMessage(this, message)),
              this);
      nodes.add(this);
    }

    private void onMessage(Node from, byte[] message) {
      try {
        table.onMessage(from, message, nowMs);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void onChange(String topic) {
      changes++;
    }

    @Override
    public void onPartial() {}

    void enter(String id) {
      enter(ROOM, id);
    }

    void enter(String topic, String id) {
      table.enter(topic, new PresenceMember(id, "subject of " + id, null));
      table.links().onWatched(topic, true, nowMs);
    }

    void watch(String topic) {
      table.links().onWatched(topic, true, nowMs);
    }

    void leave(String id) {
      table.leave(ROOM, id, true, nowMs);
    }

    PresenceView view() {
      return table.view(ROOM);
    }

    List<String> ids() {
      PresenceView view = view();
      assertThat(view.partial()).as("partial at %s", name).isFalse();
      assertThat(view.count()).isEqualTo(view.members().size());
      return view.members().stream().map(PresenceMember::id).sorted().toList();
    }
  }

  /** One direction of a link: the node at its end. */
  private final class End implements LinkedNode {
    final Node of;
    final boolean isRoot;
    final Predicate<String> reported;
    final Predicate<String> seen;
    End other;
    boolean full;
    boolean closed;
    boolean known;
    int dropped;

    End(Node of, boolean isRoot, Predicate<String> reported, Predicate<String> seen) {
      this.of = of;
      this.isRoot = isRoot;
      this.reported = reported;
      this.seen = seen;
    }

    @Override
    public String name() {
      return isRoot ? "roots" : of.name;
    }

    @Override
    public boolean isRoot() {
      return isRoot;
    }

    @Override
    public boolean mayReport(String topic) {
      return reported.test(topic);
    }

    @Override
    public boolean maySee(String topic) {
      return seen.test(topic);
    }

    @Override
    public void send(byte[] message) {
      network.add(
          () -> {
            if (closed || dropped > 0) {
              dropped--;
              return;
            }
            if (!other.known) {
              other.known = true;
              of.table.links().onOpened(other, nowMs);
            }
            of.table.links().onMessage(other, message, nowMs);
          });
    }

    @Override
    public boolean isFull() {
      return full;
    }

    @Override
    public void close(String why) {
      throw new AssertionError(why);
    }
  }

  private Node rootA;
  private Node rootB;
  private Node leafA;
  private Node leafB;
  private End toRootA;

  @BeforeEach
  void start() {
    rootA = new Node("root-a", true);
    rootB = new Node("root-b", true);
    rootA.table.onView(List.of(rootB), nowMs);
    rootB.table.onView(List.of(rootA), nowMs);
    leafA = new Node("leaf-a", false);
    leafB = new Node("leaf-b", false);
    toRootA = link(leafA, rootA);
    link(leafB, rootB);
  }

  private End link(Node leaf, Node root) {
    return link(leaf, root, any -> true, any -> true);
  }

  /** Returns the end at the leaf. */
  private End link(Node leaf, Node root, Predicate<String> reported, Predicate<String> seen) {
    End toRoot = new End(root, true, any -> true, any -> true);
    End toLeaf = new End(leaf, false, reported, seen);
    toRoot.other = toLeaf;
    toLeaf.other = toRoot;
    toRoot.known = true;
    leaf.table.links().onOpened(toRoot, nowMs);
    return toRoot;
  }

  private void cut(End toRoot) {
    toRoot.closed = true;
    toRoot.other.closed = true;
    toRoot.other.of.table.links().onClosed(toRoot, nowMs);
    if (toRoot.other.known) {
      toRoot.of.table.links().onClosed(toRoot.other, nowMs);
    }
  }

  private void run(long ms) {
    for (long end = nowMs + ms; nowMs < end; nowMs += PresenceTable.TICK_MS) {
      for (int left = network.size(); left > 0; left--) {
        network.remove().run();
      }
      nodes.forEach(each -> each.table.onTick(nowMs));
    }
  }

  @Test
  void shouldHaveOneListAtAllNodes() {
    nodes.forEach(each -> each.enter(each.name));
    run(2_000);
    for (Node each : nodes) {
      assertThat(each.ids()).containsExactly("leaf-a", "leaf-b", "root-a", "root-b");
    }
    leafA.leave("leaf-a");
    run(2_000);
    for (Node each : nodes) {
      assertThat(each.ids()).containsExactly("leaf-b", "root-a", "root-b");
    }
  }

  @Test
  void shouldCountMembersThatAreTooManyForAList() {
    for (Node each : nodes) {
      for (int i = 0; i < 2 * MEMBERS; i++) {
        each.enter(each.name + i);
      }
    }
    run(2_000);
    for (Node each : nodes) {
      assertThat(each.view()).as(each.name).isEqualTo(new PresenceView(8 * MEMBERS, null, false));
    }
    for (int i = 0; i < 2 * MEMBERS; i++) {
      leafA.leave("leaf-a" + i);
    }
    run(2_000);
    for (Node each : nodes) {
      assertThat(each.view()).as(each.name).isEqualTo(new PresenceView(6 * MEMBERS, null, false));
    }
  }

  @Test
  void shouldRetainMembersOfALostLinkForTheirGraceTime() {
    leafA.enter("a");
    rootB.enter("b");
    leafB.watch(ROOM);
    run(2_000);
    cut(toRootA);
    run(200);
    for (Node each : nodes) {
      assertThat(each.view().count()).as(each.name).isEqualTo(2);
    }
    assertThat(leafA.view().partial()).isTrue();
    assertThat(rootA.view().partial()).isTrue();
    run(GRACE_MS + 1_000);
    assertThat(leafA.view().count()).isEqualTo(1);
    assertThat(rootA.view().count()).isEqualTo(1);
    assertThat(leafB.view().count()).isEqualTo(1);
  }

  @Test
  void shouldHaveNoMemberTwiceAfterAChangeOfTheRoot() {
    leafA.enter("a");
    leafB.enter("b");
    run(2_000);
    cut(toRootA);
    link(leafA, rootB);
    for (int i = 0; i < 40; i++) {
      run(100);
      for (Node each : nodes) {
        assertThat(each.view().count()).as(each.name).isEqualTo(2);
      }
    }
    nodes.forEach(each -> each.watch(ROOM));
    run(200);
    for (Node each : nodes) {
      assertThat(each.ids()).as(each.name).containsExactly("a", "b");
    }
  }

  @Test
  void shouldRepairWhatALinkHasLost() {
    run(500);
    toRootA.dropped = 3;
    toRootA.other.dropped = 3;
    leafA.enter("a");
    rootA.enter("b");
    rootA.enter("c");
    run(60_000);
    assertThat(rootA.ids()).containsExactly("a", "b", "c");
    assertThat(leafA.ids()).containsExactly("a", "b", "c");
  }

  @Test
  void shouldSendNothingWhileALinkIsFull() {
    run(500);
    toRootA.full = true;
    leafA.enter("a");
    run(1_000);
    assertThat(rootA.view().count()).isZero();
    toRootA.full = false;
    run(500);
    assertThat(rootA.ids()).containsExactly("a");
  }

  @Test
  void shouldRemoveAMemberWhoseEntryWaits() {
    run(500);
    String info = '"' + "x".repeat(2_000) + '"';
    for (int i = 0; i < MAX_ENTRIES - 10; i++) { // more than a tick sends
      leafA.table.enter("topic." + i, new PresenceMember("m", "m", info));
    }
    leafA.enter("a");
    leafA.table.onTick(nowMs);
    leafA.leave("a");
    run(10_000);
    assertThat(rootA.table.localCount()).isEqualTo(MAX_ENTRIES - 10);
    assertThat(rootA.ids()).isEmpty();
  }

  @Test
  void shouldIncludeLeavesOfLeaves() {
    Node far = new Node("far", false);
    link(far, leafA);
    far.enter("far");
    rootB.enter("b");
    run(2_000);
    for (Node each : nodes) {
      each.watch(ROOM);
    }
    run(1_000);
    for (Node each : nodes) {
      assertThat(each.ids()).as(each.name).containsExactly("b", "far");
    }
  }

  @Test
  void shouldIgnoreWhatIsNotGranted() {
    Node leaf = new Node("leaf-c", false);
    link(leaf, rootA, topic -> topic.equals("reported"), topic -> topic.equals("seen"));
    for (String topic : List.of("reported", "seen", "neither")) {
      leaf.enter(topic, "c");
      rootA.enter(topic, "a");
    }
    run(2_000);
    assertThat(rootA.table.view("reported").count()).isEqualTo(2);
    assertThat(rootA.table.view("seen").count()).isEqualTo(1);
    assertThat(rootA.table.view("neither").count()).isEqualTo(1);
    assertThat(leaf.table.view("reported")).matches(each -> each.count() == 1 && !each.partial());
    assertThat(leaf.table.view("seen")).matches(each -> each.count() == 2 && !each.partial());
    assertThat(leaf.table.view("neither").count()).isEqualTo(1);
  }

  /** A leaf knows the ids that it sees, and may repeat them with other names. */
  @Test
  void shouldNotLetALeafReplaceMembersOfOthers() {
    rootA.enter("a");
    run(500);
    leafA.table.enter(ROOM, new PresenceMember("a", "mallory", "{}"));
    run(2_000);
    assertThat(rootA.view().members())
        .extracting(PresenceMember::subject)
        .containsExactly("subject of a");
    assertThat(rootB.view().members())
        .extracting(PresenceMember::subject)
        .containsExactly("subject of a");
  }

  @Test
  void shouldBoundTheMembersOfALeaf() {
    for (int i = 0; i < 3 * MAX_ENTRIES; i++) {
      leafA.enter("flood." + i, "m");
    }
    rootA.enter("a");
    leafB.watch(ROOM);
    run(10_000);
    assertThat(rootA.table.localCount()).isLessThan(MAX_ENTRIES);
    assertThat(rootA.view().members()).hasSize(1);
    assertThat(rootA.view().partial()).isTrue();
    assertThat(leafB.view().members()).hasSize(1);
  }
}
