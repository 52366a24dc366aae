/** A stream of NATS JetStream, and how to reach it. */
export interface NatsPlace {
  /** `host:port` of each server that is named; others of its cluster are found by themselves. */
  servers: string[]
  /** The connection must be encrypted. Otherwise it is where the server asks for it. */
  isEncrypted: boolean
  /** What is sent to sign in: at most one of them. */
  login: { user: string; pass: string } | { token: string } | { credsFile: string } | undefined
  /** Files of certificates and of a key, in PEM. */
  caFile: string | undefined
  certFile: string | undefined
  keyFile: string | undefined
  stream: string
  /** The durable consumer, which is made if there is none. */
  durable: string
  /** What a consumer that is made is like; one that exists must have the same filter and `max_ack_pending`, where they are named. */
  filterSubject: string | undefined
  deliverPolicy: 'all' | 'new'
  maxAckPending: number | undefined
}
