/** Responses of the admin API, as docs/reference/admin-openapi.yaml describes them. */

export interface NodeStatus {
  readonly node: string;
  readonly status: "ok" | "timeout" | "error";
  readonly error?: string;
}

export interface Merged {
  readonly nodes?: readonly NodeStatus[];
  readonly partial?: boolean;
}

export interface Topic {
  readonly node?: string;
  readonly topic: string;
  readonly where?: string;
  readonly source?: string;
  readonly rate: number;
  readonly "bytes-rate": number;
  readonly subscribers: number;
  readonly log: number;
  readonly "log-bytes": number;
  readonly "log-age-ms"?: number;
  readonly "last-message-ms"?: number;
  readonly gaps: number;
  readonly consumer: string;
}

export interface TopicSubscription {
  readonly node: string;
  readonly session: string;
  readonly subject: string;
  readonly topic: string;
  readonly position: number;
  readonly lag: number;
  readonly where?: string;
}

export interface TopicDetail extends Merged {
  readonly topic: string;
  readonly interests: readonly Topic[];
  readonly subscribers: number;
  readonly subscriptions: readonly TopicSubscription[];
}

export interface Client {
  readonly node: string;
  readonly session: string;
  readonly subject: string;
  readonly mechanism: string;
  readonly token: string;
  readonly address: string;
  readonly since: number;
  readonly subscriptions: number;
  readonly consumers: number;
  readonly "pending-bytes": number;
  readonly "rtt-ms"?: number;
  readonly gaps: number;
}

export interface ClientSubscription {
  readonly topic: string;
  readonly position: number;
  readonly lag: number;
  readonly where?: string;
  readonly gaps: number;
  readonly since?: number;
}

export interface RecentFrame {
  readonly at: number;
  readonly direction: string;
  readonly type: string;
  /** Absent if the frame names none or is not readable. */
  readonly topic?: string;
  readonly bytes: number;
}

export interface ClientDetail extends Client, Merged {
  readonly "credential-expires"?: number;
  readonly permissions: Readonly<Record<string, unknown>>;
  readonly subscribed: readonly ClientSubscription[];
  readonly "recent-frames"?: readonly RecentFrame[];
}

export interface WhyStep {
  readonly step: string;
  /** `past` is a problem that no longer holds. */
  readonly result: "ok" | "problem" | "unknown" | "past";
  readonly detail: string;
  readonly node: string;
  readonly session: string;
}

export interface Why extends Merged {
  readonly steps: readonly WhyStep[];
  readonly answer: string;
}

/** Figures of a node or of the cluster at one time. */
export interface Figures {
  readonly clients: number;
  readonly "messages-rate": number;
  readonly "frames-rate": number;
  readonly "bytes-rate": number;
  /** Missing without frames, likewise the next two. */
  readonly "latency-p50-ms"?: number;
  readonly "latency-p99-ms"?: number;
  readonly "latency-p999-ms"?: number;
  readonly "loop-lag-ms": number;
}

export interface FiguresOfNode extends Figures {
  readonly node: string;
  readonly broker: string;
  readonly links?: readonly NodeLink[];
}

export interface NodeLink {
  readonly peer: string;
  readonly as: "root" | "leaf";
  readonly transport: "tcp" | "multicast";
  /** Only of a root, likewise the next one. */
  readonly topics?: number;
  readonly behind?: number;
  readonly "round-trip-ms"?: number;
}

export interface FiguresAt extends Figures {
  readonly at: number;
}

export interface Overview extends Merged {
  readonly cluster: Figures;
  readonly "by-node": readonly FiguresOfNode[];
  readonly history: readonly FiguresAt[];
  /** Page that shows the firing alerts; missing if none is configured. */
  readonly "alerts-url"?: string;
}

export interface Load {
  readonly connections: number;
  readonly movable: number;
  readonly "message-rate": number;
  readonly cpu: number;
  readonly "loop-lag-ms": number;
}

export interface ClusterNode {
  readonly name: string;
  readonly state: string;
  readonly since: number;
  readonly version: string;
  readonly "public-url"?: string;
  readonly "admin-url"?: string;
  readonly load?: Load;
}

export interface Cluster {
  readonly cluster: string;
  readonly node: string;
  readonly nodes: readonly ClusterNode[];
}

/** Stored revocation, which has exactly one of the first three members. */
export interface Revocation {
  readonly subject?: string;
  readonly token?: string;
  readonly certificate?: string;
  readonly since: number;
  readonly until: number;
}

export interface Revocations {
  readonly revocations: readonly Revocation[];
  readonly total: number;
}

/** Login methods of the node. */
export interface Logins {
  readonly required: boolean;
  readonly methods: readonly ("token" | "oidc")[];
  readonly oidc?: OidcClient;
}

/** Client of an OpenID Connect issuer; without endpoints, the node has not found them yet. */
export interface OidcClient {
  readonly issuer: string;
  readonly "client-id": string;
  readonly scope: string;
  readonly "authorization-endpoint"?: string;
  readonly "token-endpoint"?: string;
  readonly "end-session-endpoint"?: string;
  readonly "revocation-endpoint"?: string;
}
