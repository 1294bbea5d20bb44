using System;
using System.Collections.Generic;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Reply to a request.</summary>
    public sealed class Reply
    {
        internal Reply(Frame frame)
        {
            Id = frame.Id();
            Time = Members.Time(frame, "time");
            Properties = Members.Properties(frame);
            MessageType = frame.OptionalText("messageType");
            Payload = Payload.Of(frame);
        }

        /// <summary>Identity, 16 hexadecimal digits.</summary>
        public string Id { get; }

        /// <summary>Acceptance by the broker.</summary>
        public DateTimeOffset Time { get; }

        /// <summary>JMS properties: string, long, double or bool.</summary>
        public IReadOnlyDictionary<string, object> Properties { get; }

        /// <summary>JMSType; null if there is none.</summary>
        public string MessageType { get; }

        /// <summary>Content.</summary>
        public Payload Payload { get; }

        /// <summary>Content as text.</summary>
        public string Text => Payload.Text;
    }
}
