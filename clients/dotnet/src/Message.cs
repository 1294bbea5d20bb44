using System;
using System.Collections.Generic;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Message of a subscription.</summary>
    public sealed class Message
    {
        internal Message(Frame frame)
        {
            Topic = frame.Text("topic");
            Pattern = frame.OptionalText("pattern");
            Offset = frame.Number("offset");
            Id = frame.Id();
            Time = Members.Time(frame, "time");
            Properties = Members.Properties(frame);
            IsRemoved = frame.Flag("removed");
            Payload = Payload.Of(frame);
        }

        /// <summary>Concrete topic.</summary>
        public string Topic { get; }

        /// <summary>Pattern through which the message arrived; null for a topic.</summary>
        public string Pattern { get; }

        /// <summary>Number in the subscription on this node.</summary>
        public long Offset { get; }

        /// <summary>Identity, 16 hexadecimal digits; the same on every node.</summary>
        public string Id { get; }

        /// <summary>Acceptance by the broker.</summary>
        public DateTimeOffset Time { get; }

        /// <summary>JMS properties: string, long, double or bool.</summary>
        public IReadOnlyDictionary<string, object> Properties { get; }

        /// <summary>Whether the message removes its topic or key; the payload is then empty.</summary>
        public bool IsRemoved { get; }

        /// <summary>Content.</summary>
        public Payload Payload { get; }

        /// <summary>Content as text.</summary>
        public string Text => Payload.Text;
    }
}
