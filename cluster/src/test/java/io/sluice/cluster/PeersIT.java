package io.sluice.cluster;

import static io.sluice.cluster.Nodes.eventually;
import static io.sluice.cluster.Nodes.ids;
import static io.sluice.cluster.Nodes.node;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.Socket;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.junit.jupiter.api.Test;

/** Who is a node, and who is not. */
final class PeersIT {
  @Test
  void shouldLetInWhoKnowsTheSecretAndNobodyElse() throws Exception {
    PeerIdentity right = new PeerIdentity.Secret("correct horse battery staple");
    PeerIdentity wrong = new PeerIdentity.Secret("correct horse battery stable");
    check("secret", right, right, wrong);
  }

  @Test
  void shouldLetInWhoHasACertificateOfTheAuthorityAndNobodyElse() throws Exception {
    KeyPair authority = keys();
    X509Certificate root = certificate("root", authority, "root", authority);
    KeyPair other = keys();
    X509Certificate otherRoot = certificate("root", other, "root", other);
    KeyPair one = keys();
    KeyPair two = keys();
    KeyPair stranger = keys();
    check(
        "certificates",
        certified(one, certificate("one", one, "root", authority), root),
        certified(two, certificate("two", two, "root", authority), root),
        certified(stranger, certificate("one", stranger, "root", other), otherRoot));
  }

  /** The stranger is asked for, and asks; a plain node and a mute client come as well. */
  private static void check(String name, PeerIdentity one, PeerIdentity two, PeerIdentity stranger)
      throws Exception {
    try (Nodes nodes = new Nodes(name, 4)) {
      JGroupsCluster first = nodes.start(0, node("node-0"), one);
      Cluster refused = nodes.start(2, node("node-2"), stranger);
      Cluster plain = nodes.start(3, node("node-3"), Nodes.OPEN);
      try (Socket mute = new Socket(InetAddress.getLoopbackAddress(), nodes.port(0))) {
        assertThat(mute.isConnected()).isTrue();
        Cluster second = nodes.start(1, node("node-1"), two);
        eventually().until(() -> ids(first).equals(List.of("node-0", "node-1")));
        eventually().until(() -> ids(second).equals(List.of("node-0", "node-1")));
      }
      eventually().until(() -> first.counts().refused() + refused.counts().refused() > 2);
      first.announce(NodeState.UP);
      assertThat(refused.activeTopics(1).toCompletableFuture().get(60, TimeUnit.SECONDS)).isEmpty();
      assertThat(ids(first)).containsExactly("node-0", "node-1");
      assertThat(ids(refused)).containsExactly("node-2");
      assertThat(ids(plain)).containsExactly("node-3");
    }
  }

  @Test
  void shouldDropWhatItDoesNotUnderstandAndGoOn() throws Exception {
    try (Nodes nodes = new Nodes("garbage", 2)) {
      JGroupsCluster first = nodes.start(0);
      JGroupsCluster second = nodes.start(1);
      eventually().until(() -> ids(first).size() == 2 && ids(second).size() == 2);
      second.sendRaw(loose(new ObjectMessage(null, "a primitive")));
      eventually().until(() -> first.counts().malformed() == 1);
      // What shares its packet is lost with it, and sent again.
      second.sendRaw(loose(new ObjectMessage(null, new Gadget())));
      second.sendRaw(new BytesMessage(null, new byte[] {9, 9, 9}));
      second.sendRaw(new BytesMessage(null, new byte[Wire.MOST_BYTES + 1]));
      eventually().until(() -> first.counts().malformed() == 3);
      assertThat(Gadget.BORN).hasValue(0);
      Load load = new Load(5, 5, 0, 0, 0);
      second.report(load);
      eventually().until(() -> Nodes.seen(first, "node-1").load().equals(load));
    }
  }

  /** One that JGroups does not send again where it was not understood. */
  private static Message loose(Message message) {
    return message.setFlag(Message.Flag.NO_RELIABILITY, Message.Flag.OOB);
  }

  /** What must not come to life out of another node's bytes. */
  private static final class Gadget implements Serializable {
    private static final long serialVersionUID = 1;
    private static final AtomicInteger BORN = new AtomicInteger();

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      in.defaultReadObject();
      BORN.incrementAndGet();
    }
  }

  private static KeyPair keys() throws Exception {
    return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
  }

  private static X509Certificate certificate(
      String subject, KeyPair keys, String issuer, KeyPair issuerKeys) throws Exception {
    return Certificate.write(subject, keys.getPublic(), issuer, issuerKeys.getPrivate());
  }

  private static PeerIdentity certified(
      KeyPair keys, X509Certificate certificate, X509Certificate authority) {
    return new PeerIdentity.Certified(keys.getPrivate(), List.of(certificate), List.of(authority));
  }
}
