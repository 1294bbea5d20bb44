using System.Collections.Generic;

namespace Sluice.Internal
{
    /// <summary>Identities of the latest messages, for duplicate detection.</summary>
    internal sealed class RecentIds
    {
        private readonly LinkedList<string> _order = new LinkedList<string>();
        private readonly Dictionary<string, LinkedListNode<string>> _nodes =
            new Dictionary<string, LinkedListNode<string>>();

        /// <summary>Remembers an identity as the latest one; returns whether it was unknown.</summary>
        internal bool Add(string id, long capacity)
        {
            bool isKnown = _nodes.TryGetValue(id, out LinkedListNode<string> node);
            if (isKnown)
            {
                _order.Remove(node);
            }
            _nodes[id] = _order.AddLast(id);
            while (_nodes.Count > capacity)
            {
                _nodes.Remove(_order.First.Value);
                _order.RemoveFirst();
            }
            return !isKnown;
        }

        internal void Clear()
        {
            _order.Clear();
            _nodes.Clear();
        }
    }
}
