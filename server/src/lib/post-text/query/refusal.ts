/** Why a query is refused: a sentence, and the place in UTF-16 units. The parser catches it and answers a value. */
export class Refusal extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}
