/** A request is not accepted: the status to answer with, and in words why. The words hold nothing of what was sent. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
