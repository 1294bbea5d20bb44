using System;
using System.Threading;
using Sluice;

/// <summary>Prints messages: mono Show.exe ws://localhost:8080/ws stocks.7</summary>
public static class Show
{
    public static int Main(string[] arguments)
    {
        if (arguments.Length != 2)
        {
            Console.Error.WriteLine("usage: Show.exe URL TOPIC");
            return 2;
        }
        SubscribeOptions options = new SubscribeOptions
        {
            OnGap = gap => Console.WriteLine("GAP " + gap.Reason),
            OnState = Print,
            OnError = error => Console.WriteLine(error.Code.ToUpperInvariant() + " " + error.Message)
        };
        using (SluiceClient client = SluiceClient.Connect(arguments[0]))
        {
            client.Subscribe(arguments[1], message => Console.WriteLine("MESSAGE " + message.Text), options);
            Thread.Sleep(Timeout.Infinite);
        }
        return 0;
    }

    private static void Print(SubscriptionState state)
    {
        if (state != SubscriptionState.Pending)
        {
            Console.WriteLine(state == SubscriptionState.Live ? "SUBSCRIBED" : state.ToString().ToUpperInvariant());
        }
    }
}
