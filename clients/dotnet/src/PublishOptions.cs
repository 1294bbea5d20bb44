using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Options of a message to publish; all of them are optional.</summary>
    public sealed class PublishOptions
    {
        internal static readonly PublishOptions None = new PublishOptions();

        /// <summary>
        /// Identifier, 1 to 128 characters: the broker stores messages with equal id, destination and user
        /// once. The client sends an unanswered publish with it again after a reconnect.
        /// </summary>
        public string Id { get; set; }

        /// <summary>JMS properties: strings, booleans and numbers.</summary>
        public IReadOnlyDictionary<string, object> Properties { get; set; }

        /// <summary>Priority, 0 to 9.</summary>
        public int? Priority { get; set; }

        /// <summary>Time to live, at least 1 ms.</summary>
        public TimeSpan? TimeToLive { get; set; }

        /// <summary>Delivery delay, at least 1 ms.</summary>
        public TimeSpan? Delay { get; set; }

        /// <summary>Delivery mode; the default is a setting of the node.</summary>
        public bool? Persistent { get; set; }

        /// <summary>JMSType, at most 255 characters.</summary>
        public string MessageType { get; set; }

        /// <summary>JMSCorrelationID, at most 255 characters.</summary>
        public string CorrelationId { get; set; }

        /// <summary>JMSXGroupID, 1 to 255 characters.</summary>
        public string Group { get; set; }

        /// <summary>JMSReplyTo.</summary>
        public Destination ReplyTo { get; set; }

        /// <summary>Returns the members of a frame that does not have the unavailable ones.</summary>
        internal JObject ToMembers(params string[] unavailable)
        {
            JObject members = new JObject();
            AddText(members, "id", Id, 1, 128);
            AddText(members, "messageType", MessageType, 0, 255);
            AddText(members, "correlationId", CorrelationId, 0, 255);
            AddText(members, "group", Group, 1, 255);
            AddDuration(members, "ttl", nameof(TimeToLive), TimeToLive);
            AddDuration(members, "delay", nameof(Delay), Delay);
            AddOthers(members);
            foreach (string name in unavailable)
            {
                if (members[name] != null)
                {
                    throw SluiceException.InvalidArgument("option " + name + " is not available here");
                }
            }
            return members;
        }

        private void AddOthers(JObject members)
        {
            if (Priority < 0 || Priority > 9)
            {
                throw SluiceException.InvalidArgument("Priority must be 0 to 9, not " + Priority);
            }
            if (Priority != null)
            {
                members["priority"] = Priority.Value;
            }
            if (Persistent != null)
            {
                members["persistent"] = Persistent.Value;
            }
            if (ReplyTo != null)
            {
                members["replyTo"] = ReplyTo.ToMembers();
            }
            if (Properties != null)
            {
                members["properties"] = Encode(Properties);
            }
        }

        private static JObject Encode(IReadOnlyDictionary<string, object> properties)
        {
            JObject encoded = new JObject();
            foreach (KeyValuePair<string, object> property in properties)
            {
                bool isNumber = property.Value is int || property.Value is long || property.Value is short
                    || property.Value is byte || property.Value is double || property.Value is float;
                if (!isNumber && !(property.Value is string) && !(property.Value is bool))
                {
                    throw SluiceException.InvalidArgument(
                        "property " + property.Key + " must be a string, number or boolean, not "
                            + (property.Value?.GetType().Name ?? "null"));
                }
                encoded[property.Key] = JToken.FromObject(property.Value);
            }
            return encoded;
        }

        private static void AddText(JObject members, string name, string value, int low, int high)
        {
            if (value == null)
            {
                return;
            }
            if (value.Length < low || value.Length > high)
            {
                throw SluiceException.InvalidArgument(
                    name + " must have " + low + " to " + high + " characters, not " + value.Length);
            }
            members[name] = value;
        }

        private static void AddDuration(JObject members, string member, string name, TimeSpan? value)
        {
            if (value == null)
            {
                return;
            }
            if (value.Value < TimeSpan.FromMilliseconds(1))
            {
                throw SluiceException.InvalidArgument(name + " must be at least 1 ms, not " + value.Value);
            }
            members[member] = (long)value.Value.TotalMilliseconds;
        }
    }
}
