using Newtonsoft.Json.Linq;

namespace Sluice
{
    /// <summary>Start of a subscription.</summary>
    public sealed class StartFrom
    {
        private const int MaxLast = 1_000_000;

        private readonly JToken _value;

        private StartFrom(JToken value, Position position)
        {
            _value = value;
            Position = position;
        }

        /// <summary>Only messages published from now on; the default.</summary>
        public static StartFrom Now { get; } = new StartFrom(null, null);

        /// <summary>First the newest message of each topic or key.</summary>
        public static StartFrom Snapshot { get; } = new StartFrom("snapshot", null);

        /// <summary>Value of `from`; null if it is omitted.</summary>
        internal JToken Value => Position == null ? _value : Position.ToMembers();

        /// <summary>Position; null if the start is none.</summary>
        internal Position Position { get; }

        /// <summary>Returns a start with up to `count` of the latest messages, 1 to 1,000,000.</summary>
        public static StartFrom Last(int count)
        {
            if (count < 1 || count > MaxLast)
            {
                throw SluiceException.InvalidArgument("count must be 1 to 1000000, not " + count);
            }
            return new StartFrom(new JObject { ["last"] = count }, null);
        }

        /// <summary>Returns a start after a stored position.</summary>
        public static StartFrom At(Position position)
        {
            return position == null
                ? throw SluiceException.InvalidArgument("position must not be null")
                : new StartFrom(null, position);
        }
    }
}
