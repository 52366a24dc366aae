/** The callback that is looked at, and what requests to it are made of. */
export interface Patient {
  url: URL
  /** The consumer secret. */
  secret: string
  /** Where that was found: `--secret`. */
  secretSource: string
  signatureHeader: string
  /** The body of the event that is sent. */
  event: Buffer
  /** More certificates to trust, in PEM. */
  ca: string[] | undefined
}
