/** What is asked about a signed request: the value of its signature header, its raw body, and the consumer secrets that it may be signed with. */
export interface SignedBody {
  header: unknown
  body: unknown
  secrets: readonly string[]
}

/** What is asked about a challenge: the value of its signature header and its raw query, not decoded. */
export interface SignedQuery {
  header: unknown
  query: string
  secrets: readonly string[]
}

/** A token of a challenge, and the consumer secret that answers it. */
export interface Challenge {
  crcToken: unknown
  secret: string
}

type Soon<Value> = Value | Promise<Value>

/** How signatures are made and verified: `node/` does it at once, `web/` with promises, because WebCrypto has nothing else. */
export interface Signatures {
  verifySignature(signed: SignedBody): Soon<boolean>
  findChallengeSecret(signed: SignedQuery): Soon<string>
  answerChallenge(challenge: Challenge): Soon<{ response_token: string }>
}
