/** A request that is rejected: the HTTP status to answer with, and a message that contains nothing of what was sent. */
export class HttpError extends Error {
  override name = 'HttpError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A challenge that must not be answered. `status` is 400 for a malformed token, 401 for a signature that matches no secret. */
export class ChallengeError extends HttpError {
  override name = 'ChallengeError'
}
