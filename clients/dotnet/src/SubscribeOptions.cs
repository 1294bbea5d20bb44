using System;
using System.Globalization;
using Newtonsoft.Json.Linq;

namespace Sluice
{
    /// <summary>Options of a subscription; all of them are optional.</summary>
    public sealed class SubscribeOptions
    {
        /// <summary>Start; null means <see cref="StartFrom.Now"/>.</summary>
        public StartFrom From { get; set; }

        /// <summary>Whether only the newest message of each topic is kept while the client lags.</summary>
        public bool LatestOnly { get; set; }

        /// <summary>Maximum messages per second of each topic, 0.001 to 1,000; implies the newest ones.</summary>
        public double? Rate { get; set; }

        /// <summary>JMS selector: only messages for which it is true arrive.</summary>
        public string Where { get; set; }

        /// <summary>Called with each gap, between the messages before and after it.</summary>
        public Action<Gap> OnGap { get; set; }

        /// <summary>Called with each state, in the order of messages and gaps.</summary>
        public Action<SubscriptionState> OnState { get; set; }

        /// <summary>Called with each refusal of the node.</summary>
        public Action<SluiceException> OnError { get; set; }

        /// <summary>Returns the members of `subscribe` except `from`.</summary>
        internal JObject ToMembers()
        {
            JObject members = new JObject();
            if (LatestOnly)
            {
                members["delivery"] = "latest";
            }
            if (Rate != null)
            {
                members["rate"] = Rate >= 0.001 && Rate <= 1000
                    ? Rate.Value
                    : throw SluiceException.InvalidArgument(
                        "Rate must be 0.001 to 1000, not " + Rate.Value.ToString(CultureInfo.InvariantCulture));
            }
            if (Where != null)
            {
                members["where"] = Where.Trim().Length > 0
                    ? Where
                    : throw SluiceException.InvalidArgument("Where must not be blank");
                members["tagged"] = true;
            }
            return members;
        }
    }
}
