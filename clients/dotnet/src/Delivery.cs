using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Message delivered to a consumer; each is settled once.</summary>
    public sealed class Delivery
    {
        private readonly Consumer _consumer;
        private readonly long _reference;
        private readonly long _tag;

        internal Delivery(Consumer consumer, Connection connection, Frame frame)
        {
            _consumer = consumer;
            Connection = connection;
            _reference = frame.Number("ref");
            _tag = frame.Number("tag");
            Topic = frame.OptionalText("topic");
            Id = frame.Id();
            Time = Members.Time(frame, "time");
            IsRedeliveryUnknown = JToken.DeepEquals(frame.Members["redelivered"], "unknown");
            IsRedelivered = IsRedeliveryUnknown || frame.Flag("redelivered");
            Properties = Members.Properties(frame);
            MessageType = frame.OptionalText("messageType");
            CorrelationId = frame.OptionalText("correlationId");
            Group = frame.OptionalText("group");
            ReplyTo = frame.Has("replyTo") ? Destination.Of(frame.Object("replyTo")) : null;
            Payload = Payload.Of(frame);
        }

        /// <summary>Concrete topic; null for a queue and for a subscription without a pattern.</summary>
        public string Topic { get; }

        /// <summary>Identity, 16 hexadecimal digits; the same on every node.</summary>
        public string Id { get; }

        /// <summary>Acceptance by the broker.</summary>
        public DateTimeOffset Time { get; }

        /// <summary>Whether the message may have been delivered before; false is certain.</summary>
        public bool IsRedelivered { get; }

        /// <summary>Whether the broker may have delivered it before without counting it.</summary>
        public bool IsRedeliveryUnknown { get; }

        /// <summary>JMS properties: string, long, double or bool.</summary>
        public IReadOnlyDictionary<string, object> Properties { get; }

        /// <summary>JMSType; null if there is none.</summary>
        public string MessageType { get; }

        /// <summary>JMSCorrelationID; null if there is none.</summary>
        public string CorrelationId { get; }

        /// <summary>JMSXGroupID; null if there is none.</summary>
        public string Group { get; }

        /// <summary>Destination of replies; null if no reply is requested.</summary>
        public Destination ReplyTo { get; }

        /// <summary>Content.</summary>
        public Payload Payload { get; }

        /// <summary>Content as text.</summary>
        public string Text => Payload.Text;

        internal bool IsSettled { get; private set; }

        internal long Tag => _tag;

        internal Connection Connection { get; }

        /// <summary>Acknowledges the message; completes when the broker has removed it.</summary>
        public Task AckAsync()
        {
            return _consumer.Client.Loop.Run(() => SettleAsync("ack"));
        }

        /// <summary>Returns the message to the queue, from which it is delivered again.</summary>
        public Task ReleaseAsync()
        {
            return _consumer.Client.Loop.Run(() => SettleAsync("release"));
        }

        /// <summary>Moves the message to the dead-letter queue.</summary>
        public Task RejectAsync()
        {
            return _consumer.Client.Loop.Run(() => SettleAsync("reject"));
        }

        /// <summary>Publishes a reply to <see cref="ReplyTo"/>. The message remains pending.</summary>
        public Task RespondAsync(Payload payload, PublishOptions options = null)
        {
            JObject frame = Reference("respond");
            payload.AddTo(frame);
            Members.AddAll(frame, (options ?? PublishOptions.None).ToMembers("id", "correlationId", "replyTo"));
            return _consumer.Client.Loop.Run(() => CallAsync(frame));
        }

        internal Task SettleAsync(string kind)
        {
            if (IsSettled)
            {
                throw NotPending();
            }
            MarkSettled();
            return CallAsync(Reference(kind));
        }

        internal static SluiceException NotPending()
        {
            return new SluiceException("not-pending", "the message was settled or has returned to its queue");
        }

        /// <summary>Records that the message is settled or has returned to the queue.</summary>
        internal void MarkSettled()
        {
            IsSettled = true;
            _consumer.OnSettled(this);
        }

        private Task CallAsync(JObject frame)
        {
            return Connection.CallAsync(_consumer.Client.NextRef(), frame, CancellationToken.None);
        }

        private JObject Reference(string type)
        {
            JObject frame = Reference();
            frame["type"] = type;
            return frame;
        }

        /// <summary>Returns the members that identify the message in its connection.</summary>
        internal JObject Reference()
        {
            return new JObject { ["subscription"] = _reference, ["tag"] = _tag };
        }
    }
}
