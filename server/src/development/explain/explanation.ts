/** A parameter of a signed request as it was received, and as it is in the base string. */
export interface ExplainedParameter {
  name: string
  value: string
  /** Where it was sent: several places if it was repeated, which counts once. */
  from: ('header' | 'query' | 'form')[]
  /** Undefined if it is not part of the base string. */
  inBase?: string
}

/** What the server compared a rejected signature with. */
export interface ExplainedSignature {
  parameters: readonly ExplainedParameter[]
  /** How many more parameters there were. */
  more: number
  /** The base strings with which the signature was compared, most likely first. */
  bases: readonly string[]
  /** The base string that the client signed, if it was found. */
  signedBase?: string
}

/** Explains why a call was refused. Contains no secret, no expected signature and no complete token. */
export interface Explanation {
  atMs: number
  method: string
  path: string
  /** What the client was told: `code 32: Could not authenticate you.` */
  answer: string
  /** The likely mistake and what to do, in sentences. */
  sentences: readonly string[]
  /** Only of a rejected signature. */
  signature?: ExplainedSignature
}
