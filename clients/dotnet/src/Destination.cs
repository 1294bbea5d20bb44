using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Topic or queue. A text is converted implicitly, to a topic.</summary>
    public sealed class Destination
    {
        private readonly string _kind;

        private Destination(string kind, string name)
        {
            _kind = kind;
            Name = string.IsNullOrEmpty(name)
                ? throw SluiceException.InvalidArgument(kind + " must not be empty")
                : name;
        }

        /// <summary>Name of the topic or queue.</summary>
        public string Name { get; }

        /// <summary>Whether it is a queue.</summary>
        public bool IsQueue => _kind == "queue";

        /// <summary>Returns a topic.</summary>
        public static Destination Topic(string name)
        {
            return new Destination("topic", name);
        }

        /// <summary>Returns a queue.</summary>
        public static Destination Queue(string name)
        {
            return new Destination("queue", name);
        }

        /// <summary>Converts the name of a topic.</summary>
        public static implicit operator Destination(string topic)
        {
            return Topic(topic);
        }

        /// <inheritdoc/>
        public override string ToString()
        {
            return _kind + " " + Name;
        }

        internal static Destination Of(Frame frame)
        {
            string queue = frame.OptionalText("queue");
            return queue == null ? Topic(frame.Text("topic")) : Queue(queue);
        }

        internal JObject ToMembers()
        {
            return new JObject { [_kind] = Name };
        }
    }
}
