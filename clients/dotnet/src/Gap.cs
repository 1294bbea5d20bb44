using Sluice.Internal;

namespace Sluice
{
    /// <summary>Point of a subscription's stream at which messages may be missing.</summary>
    public sealed class Gap
    {
        internal Gap(string topic, string reason)
        {
            Topic = topic;
            Reason = reason;
        }

        /// <summary>Subscribed topic or pattern.</summary>
        public string Topic { get; }

        /// <summary>
        /// Reason of the node, or "not-recovered", "snapshot-cut" or "unreadable", which the client detects.
        /// </summary>
        public string Reason { get; }

        /// <summary>Whether the application starts over, because the current state follows.</summary>
        public bool StartsOver => Reason == Continuity.NotRecovered || Reason == Continuity.SnapshotCut;
    }
}
